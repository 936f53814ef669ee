import { parseJson } from "@capstan/formats";
import { dumpYaml } from "@capstan/formats/yaml";
import type { ResourceDiff } from "@capstan/model";
import type { Api } from "../../api.ts";
import { defineCommand, type FlagValues } from "../../command.ts";
import type { Io } from "../../io.ts";
import { painter } from "../../output/paint.ts";
import { unifiedDiff } from "../../output/unified-diff.ts";
import { type AppRef, fetchApp, onApp, readAppName } from "./app-name.ts";
import { localManifests } from "./local-manifests.ts";

const diffFlags = {
  revision: { kind: "string", help: "Compare with this revision", value: "REVISION" },
  revisions: { kind: "list", help: "One for each of --source-positions", value: "REVISION" },
  "source-positions": { kind: "list", help: "Positions of sources, from 1", value: "N" },
  local: { kind: "string", help: "Compare with manifests of this folder", value: "DIR" },
  "local-repo-root": { kind: "string", help: "Accepted for compatibility", value: "DIR" },
  "server-side-diff": { kind: "boolean", help: "Let the cluster say what applying would give" },
  "server-side-generate": { kind: "boolean", help: "Accepted for compatibility" },
  refresh: { kind: "boolean", help: "Compare again first" },
  "hard-refresh": { kind: "boolean", help: "Render and compare again first" },
  "exit-code": {
    kind: "boolean",
    help: "Exit with --diff-exit-code when there are differences",
    byDefault: "true",
  },
  "diff-exit-code": { kind: "integer", help: "Exit code for differences", value: "N", byDefault: "1" },
  "app-namespace": { kind: "string", short: "N", help: "Namespace of the application", value: "NAMESPACE" },
} as const;

type Values = FlagValues<typeof diffFlags>;

export default defineCommand({
  usage: "APPNAME",
  help: "Show what differs between git and the cluster. Exit code 0: nothing, 1: something, 2: it could not be found out.",
  argument: "application",
  arity: [1, 1],
  flags: diffFlags,
  async run({ args: [name = ""], flags, io, api }) {
    try {
      const client = await api();
      const items = await compare(client, readAppName(name, flags["app-namespace"]), { flags, io });
      const isDifferent = printDifferences(items, io);
      return isDifferent && (flags["exit-code"] ?? true) ? (flags["diff-exit-code"] ?? 1) : 0;
    } catch (error) {
      io.signal.throwIfAborted();
      io.err(`error: ${error instanceof Error ? error.message : error}\n`);
      return 2;
    }
  },
});

async function compare(
  api: Api,
  ref: AppRef,
  { flags, io }: { flags: Values; io: Io },
): Promise<readonly ResourceDiff[]> {
  const refresh = flags["hard-refresh"] ? "hard" : flags.refresh ? "normal" : undefined;
  if (refresh) await fetchApp(api, ref, { refresh });
  const targetManifests = await targets(api, ref, { flags, io });
  if (targetManifests === undefined && !flags["server-side-diff"])
    return (await onApp(api, ref, () => api.call("listManagedResources", ref))).items;
  return (await onApp(api, ref, () => api.call("diffOnServer", { ...ref, targetManifests }))).items;
}

async function targets(
  api: Api,
  ref: AppRef,
  { flags, io }: { flags: Values; io: Io },
): Promise<string[] | undefined> {
  if (flags.local) return localManifests(flags.local, io);
  const { revision, revisions } = flags;
  if (!revision && !revisions) return undefined;
  const sourcePositions = flags["source-positions"]?.map(Number);
  return (
    await onApp(api, ref, () => api.call("getManifests", { ...ref, revision, revisions, sourcePositions }))
  ).manifests;
}

function printDifferences(items: readonly ResourceDiff[], io: Io): boolean {
  const paint = painter(io);
  let isDifferent = false;
  for (const item of items) {
    if (item.hook || !item.modified) continue;
    const live = yamlOf(item.normalizedLiveState ?? item.liveState);
    const target = item.targetState === "null" ? "" : yamlOf(item.predictedLiveState ?? item.targetState);
    const diff = unifiedDiff(live, target, { names: ["live", "git"], paint });
    if (diff === "") continue;
    isDifferent = true;
    const { group = "", kind, namespace = "", name } = item;
    io.out(`\n${paint("bold", `===== ${group}/${kind} ${namespace}/${name} ======`)}\n${diff}`);
  }
  return isDifferent;
}

function yamlOf(text: string | undefined): string {
  return text === undefined || text === "null" ? "" : dumpYaml(parseJson(text));
}
