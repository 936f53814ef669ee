import type { Clock } from "@capstan/flow";
import { stringifyJson } from "@capstan/formats";
import { CapstanError, messageOf } from "@capstan/model";
import type { cmp } from "@capstan/wire/plugin-protocols";
import { joinWithin } from "../paths.ts";
import type { Log } from "../plugin.ts";
import { readRequestVariables } from "../request-variables.ts";
import type { Call, Handlers } from "../rpc/service-types.ts";
import type { RunResult, ServedPlugin, SourceRun } from "../served-plugin.ts";
import { splitOutput } from "../sidecar/split-output.ts";
import type { ArchiveLimits } from "./extract-archive.ts";
import { readMetadata, receiveArchive } from "./receive-archive.ts";
import type { RunQueue } from "./run-queue.ts";
import type { WorkDirectories } from "./work-directories.ts";

export interface ServiceSettings {
  clock: Clock;
  log: Log;
  limits: ArchiveLimits;
  directories: WorkDirectories;
  queue: RunQueue;
}

/** So that the answer still reaches the caller (Argo CD: cmpserver/plugin/plugin.go cmpTimeoutBuffer). */
const answerReserveMs = 100;

type Stock = Handlers<typeof cmp.ConfigManagementPluginService>;
type Requests = AsyncIterable<cmp.AppStreamRequest>;

/** Argo CD's protocol for one plugin; failures read as those of its sidecar. */
export function stockService(plugin: () => ServedPlugin, settings: ServiceSettings): Stock {
  const { queue } = settings;
  const receive = <Value>(what: string, job: { requests: Requests; call: Call }, work: Work<Value>) =>
    withSource({ ...job, what, plugin: plugin() }, settings, work);
  return {
    async checkPluginConfiguration() {
      const { discovery, provideGitCreds } = await plugin().describe();
      return { isDiscoveryConfigured: discovery !== undefined, provideGitCreds };
    },
    matchRepository: (requests, call) =>
      receive("match repository error", { requests, call }, async (source, served) => {
        const { discovery } = await served.describe();
        if (!discovery) return { isSupported: false, isDiscoveryEnabled: false };
        const matches = await prefixed("match repository error", () => served.match(source));
        return { isSupported: matches, isDiscoveryEnabled: true };
      }),
    generateManifest: (requests, call) =>
      receive("generate manifest error", { requests, call }, (source, served) =>
        prefixed("error generating manifests", async () => {
          const description = await served.describe();
          if (!served.generate)
            throw new CapstanError({
              code: "PLUGIN_FAILED",
              plugin: description.name,
              problem: onlyTransforms,
            });
          const result = await queue.run(description, () => served.generate?.(source), source.signal);
          return { manifests: result === undefined ? [] : documentsOf(result) };
        }),
      ),
    getParametersAnnouncement: (requests, call) =>
      receive("parameters announcement error", { requests, call }, (source, served) =>
        prefixed("get parameters announcement error", async () => {
          // Static ones come last, so that they win where a later one does.
          const dynamic = await served.announce(source);
          return { parameterAnnouncements: [...dynamic, ...(await served.describe()).parameters] };
        }),
      ),
  };
}

const onlyTransforms =
  "it only transforms manifests, which Argo CD's protocol cannot ask for; use it in a Pipeline";

type Work<Value> = (source: SourceRun, served: ServedPlugin) => Promise<Value>;

async function withSource<Value>(
  { what, plugin, requests, call }: { what: string; plugin: ServedPlugin; requests: Requests; call: Call },
  { directories, limits, clock, log }: ServiceSettings,
  work: Work<Value>,
): Promise<Value> {
  using budget = deadlineSignal(call, clock);
  const { signal } = budget;
  const receiving = <Result>(step: () => Promise<Result>) => prefixed(`${what} receiving stream`, step);
  const { metadata, archive } = await receiving(() => readMetadata(requests));
  const { preserveFileMode, provideGitCreds } = await plugin.describe();
  const env = readRequestVariables(metadata.env, { givesGit: provideGitCreds });
  const path = joinWithin("", `./${metadata.appRelPath}`);
  const owner = ownerFor(plugin, env);
  await using directory = await directories.open(owner.owner);
  const { root, scratch, keepUntil } = directory;
  await receiving(() =>
    receiveArchive(archive, metadata.checksum, {
      ...limits,
      ...owner,
      directory: root,
      preserveFileMode,
      signal,
    }),
  );
  if (path === undefined) throw new Error("illegal appPath: out of workDir bound");
  const { base } = directories;
  const run = { base, root, scratch, ...owner, path, env, refs: {}, signal, log, keepUntil, onStderr: ended };
  return await work(run, plugin);
}

/** The user of a repository's own, as a field where there is one. */
export function ownerFor(plugin: ServedPlugin, env: Readonly<Record<string, string>>): { owner?: number } {
  const owner = plugin.ownerOf?.(env.ARGOCD_APP_SOURCE_REPO_URL ?? "");
  return owner === undefined ? {} : { owner };
}

/** Aborted when the caller leaves, and so long before its deadline that it can still be answered. */
export function deadlineSignal(call: Call, clock: Clock): Disposable & { signal: AbortSignal } {
  const over = new AbortController();
  const budget = call.deadline - answerReserveMs - clock.now();
  if (Number.isFinite(budget))
    clock.sleep(Math.max(0, budget), over.signal).then(() => over.abort(deadlinePassed()), ended);
  return {
    signal: AbortSignal.any([call.signal, over.signal]),
    [Symbol.dispose]: () => over.abort(new Error("the request has ended")),
  };
}

function deadlinePassed(): Error {
  return new Error("context deadline exceeded");
}

function documentsOf({ output }: RunResult): string[] {
  if ("text" in output) return splitOutput(output.text, "output of the plugin");
  return output.manifests.map(({ manifest }) => stringifyJson(manifest));
}

async function prefixed<Value>(prefix: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`${prefix}: ${messageOf(error)}`, { cause: error });
  }
}

function ended(): void {
  // A timer of a request that ended first, or standard error that this protocol has no place for.
}
