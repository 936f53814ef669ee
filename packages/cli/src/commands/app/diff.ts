import { parseJson } from "@capstan/formats";
import { dumpYaml } from "@capstan/formats/yaml";
import type { ResourceDiff } from "@capstan/model";
import type { SyncPlanPreview, SyncRequest } from "@capstan/wire";
import type { Api } from "../../api.ts";
import { defineCommand, type FlagValues, type ShippedPlugins } from "../../command.ts";
import type { Io } from "../../io.ts";
import { painter } from "../../output/paint.ts";
import { unifiedDiff } from "../../output/unified-diff.ts";
import { type AppRef, appNamespaceFlag, fetchApp, onApp, readAppName } from "./app-name.ts";
import { localFlags } from "./source-flags.ts";
import { readRevisions, revisionFlags } from "./source-position.ts";
import { readPlan, showPlan } from "./sync-plan.ts";

const diffFlags = {
  ...revisionFlags,
  ...localFlags,
  "local-include": { kind: "strings", help: "Accepted for compatibility; all files count", value: "GLOB" },
  "server-side-diff": { kind: "boolean", help: "Let the cluster say what applying would give" },
  "server-side-generate": {
    kind: "boolean",
    help: "Accepted for compatibility; --local is rendered here, by the server's plugins",
  },
  "ignore-normalizer-jq-execution-timeout": {
    kind: "duration",
    help: "Accepted for compatibility; the server compares",
    hidden: true,
  },
  refresh: { kind: "boolean", help: "Compare again first" },
  "hard-refresh": { kind: "boolean", help: "Render and compare again first" },
  "exit-code": {
    kind: "boolean",
    help: "Exit with --diff-exit-code when there are differences",
    byDefault: "true",
  },
  "diff-exit-code": { kind: "integer", help: "Exit code for differences", value: "N", byDefault: "1" },
  ...appNamespaceFlag,
} as const;

type Values = FlagValues<typeof diffFlags>;

export default defineCommand({
  usage: "APPNAME",
  help: "Show what differs between git and the cluster. Exit code 0: nothing, 1: something, 2: it could not be found out.",
  argument: "application",
  arity: [1, 1],
  flags: diffFlags,
  async run({ args: [name = ""], flags, io, api, shippedPlugins }) {
    try {
      const client = await api();
      const ref = readAppName(name, flags["app-namespace"]);
      const { items, request } = await compare(client, ref, { flags, io, shippedPlugins });
      const isDifferent = printDifferences(items, io);
      // Beside the differences: what reads those goes on reading nothing else.
      if (isDifferent) {
        io.err("\n");
        await showPlan(io, () => planOf(client, ref, request));
      }
      return isDifferent && (flags["exit-code"] ?? true) ? (flags["diff-exit-code"] ?? 1) : 0;
    } catch (error) {
      io.signal.throwIfAborted();
      io.err(`error: ${error instanceof Error ? error.message : error}\n`);
      return 2;
    }
  },
});

interface Comparing {
  flags: Values;
  io: Io;
  shippedPlugins(): Promise<ShippedPlugins>;
}

interface Compared {
  items: readonly ResourceDiff[];
  /** What of a sync it is about. */
  request: SyncRequest;
}

/** What a sync would do about it, in order; it prunes if the automated one does. */
async function planOf(api: Api, ref: AppRef, request: SyncRequest): Promise<SyncPlanPreview> {
  const { spec } = await fetchApp(api, ref);
  const prune = spec.syncPolicy?.automated?.prune === true;
  return readPlan(api, { ...ref, ...request, prune });
}

async function compare(api: Api, ref: AppRef, comparing: Comparing): Promise<Compared> {
  const { flags } = comparing;
  const refresh = flags["hard-refresh"] ? "hard" : flags.refresh ? "normal" : undefined;
  if (refresh) await fetchApp(api, ref, { refresh });
  const { manifests, request } = await targets(api, ref, comparing);
  if (manifests !== undefined) {
    const asked = { ...ref, targetManifests: manifests };
    return { ...(await onApp(api, ref, () => api.call("diffManifests", asked))), request };
  }
  const how = flags["server-side-diff"] ? "diffOnServer" : "listManagedResources";
  return { ...(await onApp(api, ref, () => api.call(how, ref))), request };
}

interface Targets {
  /** Absent: what the application is compared with anyway. */
  manifests?: string[];
  request: SyncRequest;
}

async function targets(api: Api, ref: AppRef, { flags, io, shippedPlugins }: Comparing): Promise<Targets> {
  const { local: folder } = flags;
  if (folder !== undefined) {
    const { localManifests } = await import("./local-manifests.ts");
    const manifests = await localManifests(ref, { io, api, shippedPlugins, folder, flags });
    return { manifests, request: { manifests } };
  }
  const revisions = await readRevisions(api, ref, flags);
  if (Object.keys(revisions).length === 0) return { request: {} };
  const { manifests } = await onApp(api, ref, () => api.call("getManifests", { ...ref, ...revisions }));
  return { manifests, request: revisions };
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
