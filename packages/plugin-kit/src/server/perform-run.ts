import { setImmediate as nextTurn } from "node:timers/promises";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { parseJson, stringifyJson } from "@capstan/formats";
import { CapstanError, isManifest, type ParameterAnnouncement, parsePlacedManifests } from "@capstan/model";
import type { pluginV1 } from "@capstan/wire/plugin-protocols";
import { joinWithin } from "../paths.ts";
import type { GeneratedManifest, Observed } from "../plugin.ts";
import { readRequestVariables } from "../request-variables.ts";
import type { RunResult, ServedPlugin, SourceRun } from "../served-plugin.ts";
import type { FileChange } from "../store/read-changes.ts";
import type { KeptSources, OpenedSources } from "./kept-sources.ts";
import type { RunConversation } from "./run-conversation.ts";
import { ownerFor, type ServiceSettings } from "./stock-service.ts";
import type { WaitingSandboxes } from "./waiting-sandboxes.ts";

export interface RunJob {
  readonly conversation: RunConversation;
  readonly start: pluginV1.Start;
  readonly plugin: ServedPlugin;
  readonly signal: AbortSignal;
  readonly sources: KeptSources;
  readonly sandboxes: WaitingSandboxes;
}

type Finished = Partial<Pick<RunResult, "commands" | "timings" | "observed">> & {
  readonly matched?: boolean;
};
type Timings = { name: string; ms: number }[];

const manifestsAtOnce = 200;

/** One run: its turn, its files, the plugin, what it made, and the directories back as they were. */
export async function performRun(job: RunJob, settings: ServiceSettings): Promise<void> {
  const { conversation, start, plugin, signal, sources, sandboxes } = job;
  const { clock, queue, directories } = settings;
  const description = await plugin.describe();
  const env = readRequestVariables(start.env, { givesGit: description.provideGitCreds });
  const timings: Timings = [];
  const asked = clock.now();
  await queue.run(
    description,
    async () => {
      timings.push({ name: "queue", ms: clock.now() - asked });
      const owner = ownerFor(plugin, env);
      const waits = start.action === "generate" && Object.keys(start.refs).length === 0;
      const waiting = waits ? sandboxes.take(plugin, owner.owner) : undefined;
      using sandbox = waiting?.sandbox;
      await using directory = waiting?.directory ?? (await directories.open(owner.owner));
      const objects = sources.fetcher(start, (ids) =>
        conversation.send({ case: "want", value: { ids: [...ids] } }),
      );
      void conversation.listen(objects);
      const stopWaiting = () => objects.fail(signal.reason);
      signal.addEventListener("abort", stopWaiting, { once: true });
      const began = clock.now();
      const { preserveFileMode } = description;
      const opened = await sources.open(start, objects, { preserveFileMode, ...owner, signal });
      signal.removeEventListener("abort", stopWaiting);
      timings.push({ name: "transfer", ms: clock.now() - began });
      const ends: Promise<unknown>[] = [];
      const keepUntil = (ended: Promise<unknown>) => {
        ends.push(ended);
        directory.keepUntil(ended);
      };
      const startedMs = Math.floor(clock.now());
      let done: Finished;
      try {
        const isShown = sandbox !== undefined && opened.root.tree.moveTo(directory.root);
        done = await runAction(
          { ...job, changes: () => opened.root.tree.changes(startedMs, start.tree?.idFormat ?? "") },
          sourceRun(job, settings, {
            opened,
            env,
            scratch: directory.scratch,
            keepUntil,
            ...owner,
            ...(isShown ? { sandbox } : {}),
          }),
        );
      } finally {
        await giveBack(opened, ends, startedMs);
      }
      const { observed, matched = false, commands = [] } = done;
      await conversation.send({
        case: "done",
        value: {
          matched,
          commands: [...commands],
          timings: [...timings, ...(done.timings ?? [])],
          ...(observed ? { observed: onWire(observed) } : {}),
        },
      });
      if (waits) void sandboxes.refill(plugin, start.plugin, owner.owner);
    },
    signal,
  );
}

/** At once where all has ended, so that the next run finds it; else once it has, and then it is not used again. */
async function giveBack(
  opened: OpenedSources,
  ends: readonly Promise<unknown>[],
  startedMs: number,
): Promise<void> {
  let hasEnded = false;
  const ended = Promise.allSettled(ends).then(() => {
    hasEnded = true;
  });
  await nextTurn();
  if (hasEnded) for (const lease of opened.all()) lease.giveBack(startedMs);
  else void ended.then(() => Promise.all(opened.all().map((lease) => lease.discard())));
}

async function runAction(
  { conversation, start, plugin, changes }: RunJob & { changes: () => FileChange[] },
  run: SourceRun,
): Promise<Finished> {
  switch (start.action) {
    case "match":
      return { matched: await plugin.match(run) };
    case "announce": {
      const { parameters } = await plugin.describe();
      const announced: ParameterAnnouncement[] = [...(await plugin.announce(run)), ...parameters];
      await conversation.send({ case: "announced", value: { parameters: announced } });
      return {};
    }
    case "prepare": {
      const result = await ask(plugin.prepare?.(run), start);
      for (const change of changes())
        await conversation.send({ case: "files", value: { changes: [change] } });
      return result;
    }
    case "generate":
      return finish(conversation, start, await ask(plugin.generate?.(run), start));
    case "transform": {
      const input = (await conversation.input()).map(readInput);
      return finish(conversation, start, await ask(plugin.transform?.(input, run), start));
    }
    default:
      throw unable(start);
  }
}

async function ask(result: Promise<RunResult> | undefined, start: pluginV1.Start): Promise<RunResult> {
  if (!result) throw unable(start);
  return result;
}

function unable({ plugin, action }: pluginV1.Start): CapstanError {
  return new CapstanError({ code: "UNIMPLEMENTED", what: `${action} of plugin ${plugin}` });
}

async function finish(
  conversation: RunConversation,
  start: pluginV1.Start,
  result: RunResult,
): Promise<Finished> {
  const manifests = placedManifests(result, `output of plugin ${start.plugin}`);
  for (let at = 0; at < manifests.length; at += manifestsAtOnce)
    await conversation.send({
      case: "manifests",
      value: { manifests: manifests.slice(at, at + manifestsAtOnce) },
    });
  return result;
}

function onWire({
  read,
  listed,
  missed,
  unobservable,
}: Observed): MessageInitShape<typeof pluginV1.ObservedSchema> {
  return { read: [...read], listed: [...listed], missed: [...missed], unobservable: [...unobservable] };
}

function placedManifests(
  { output }: RunResult,
  file: string,
): MessageInitShape<typeof pluginV1.ManifestSchema>[] {
  if ("text" in output)
    return parsePlacedManifests(output.text, { file }).map(({ manifest, document, line }) => ({
      json: stringifyJson(manifest),
      file,
      document,
      line,
    }));
  return output.manifests.map(({ manifest, origin }) => ({ json: stringifyJson(manifest), ...origin }));
}

function readInput({ json, file, document, line }: pluginV1.Manifest, index: number): GeneratedManifest {
  const manifest = parseJson(json);
  if (!isManifest(manifest))
    throw new CapstanError({
      code: "INVALID_ARGUMENT",
      field: `manifest ${index + 1}`,
      problem: "is no object",
    });
  return file === "" ? { manifest } : { manifest, origin: { file, document, line } };
}

function sourceRun(
  { conversation, start, signal }: RunJob,
  { log, directories }: ServiceSettings,
  {
    opened,
    ...given
  }: Pick<SourceRun, "scratch" | "keepUntil" | "owner" | "env" | "sandbox"> & { opened: OpenedSources },
): SourceRun {
  const path = joinWithin("", start.path);
  if (path === undefined) throw new CapstanError({ code: "PATH_OUTSIDE", path: start.path, field: "path" });
  const { refresh, application, project, namespace, revision, sourceJson, kubeVersion, apiVersions } = start;
  const details = { application, project, namespace, revision, sourceJson, kubeVersion, apiVersions };
  const fields = { plugin: start.plugin, application };
  const named = (level: "debug" | "info" | "warn" | "error") => (more: object, message: string) =>
    log[level]({ ...fields, ...more }, message);
  return {
    root: opened.root.tree.root,
    refs: Object.fromEntries(Object.entries(opened.refs).map(([name, { tree }]) => [name, tree.root])),
    ...given,
    base: directories.base,
    kindAt: (below) => opened.root.tree.kindAt(below),
    path,
    signal,
    log: { debug: named("debug"), info: named("info"), warn: named("warn"), error: named("error") },
    onStderr: (text) => void conversation.send({ case: "log", value: { text } }).catch(() => undefined),
    details: {
      ...details,
      refresh: refresh === "hard" ? "hard" : "normal",
      credentials: (repository) => conversation.credentials(repository),
    },
  };
}
