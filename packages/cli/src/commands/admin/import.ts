import { canonicalJson } from "@capstan/formats";
import { isConflict, type KubeClient, type ObjectRef } from "@capstan/kube";
import { groupOf, isManifest, type Manifest, parseYamlDocuments, saidMetadata } from "@capstan/model";
import { defineCommand, ExitError, type FlagValues, UsageError } from "../../command.ts";
import { confirmIfEnabled } from "../../confirm.ts";
import { readText } from "../../read-text.ts";
import { backedUp, keyOfObject, namespaceFlags, readScope } from "./backup-objects.ts";
import { clusterFlags, openCluster } from "./open-cluster.ts";

const importFlags = {
  ...clusterFlags,
  ...namespaceFlags,
  prune: { kind: "boolean", help: "Delete what the backup does not have" },
  "dry-run": { kind: "boolean", help: "Change nothing; say what would happen" },
  "ignore-tracking": { kind: "boolean", help: "Keep who tracks an object that is there" },
  "override-on-conflict": { kind: "boolean", help: "Write again where somebody else was faster" },
  "skip-resources-with-label": { kind: "string", value: "NAME=VALUE", help: "Leave these alone" },
  "stop-operation": { kind: "boolean", help: "End operations that run" },
} as const;

type Values = FlagValues<typeof importFlags>;

export default defineCommand({
  usage: "SOURCE",
  help: "Bring a cluster to what a backup of `admin export` says: a file, or - for standard input.",
  examples: ["capstan admin import backup.yaml --dry-run", "capstan admin import --prune - < backup.yaml"],
  argument: "file",
  arity: [1, 1],
  flags: importFlags,
  async run({ args: [source = ""], flags, io, global }) {
    const skip = readLabel(flags["skip-resources-with-label"]);
    await using cluster = await openCluster(flags, io);
    const { client, namespace } = cluster;
    const { signal } = io;
    io.out(`import process started ${namespace}\n`);
    const scope = await readScope({ ...cluster, signal }, flags);
    const wanted = readBackup(await readText(source, io), namespace);
    const live = new Map(
      (await backedUp({ ...cluster, signal }, scope)).map((one) => [keyOfObject(one), one]),
    );
    for (const object of wanted) {
      const there = live.get(keyOfObject(object));
      live.delete(keyOfObject(object));
      if (!scope.includes(object)) {
        io.err(`warning: ${leftOut(object, namespace)}\n`);
        continue;
      }
      if (isSkipped(object, skip))
        io.out(`Skipping ${named(object)} in namespace ${object.metadata.namespace}\n`);
      else {
        const done = await bring(client, { object, there, flags, signal });
        if (done !== "unchanged" || global.verbose || global.loglevel === "debug")
          io.out(`${named(object)} in namespace ${object.metadata.namespace} ${done}${dryRun(flags)}\n`);
      }
    }
    for (const object of live.values()) {
      if (isSkipped(object, skip)) {
        io.out(`Skipping pruning of ${named(object)} in namespace ${object.metadata.namespace}\n`);
        continue;
      }
      if (!flags.prune || object.kind === "ConfigMap") {
        io.out(`${named(object)} needs pruning\n`);
        continue;
      }
      if (!flags["dry-run"]) {
        if (!(await confirmIfEnabled(io, global, `Are you sure you want to prune ${named(object)} ?`))) {
          io.out(`The command to prune ${named(object)} was cancelled.\n`);
          continue;
        }
        await prune(client, object, signal);
      }
      io.out(`${named(object)} pruned${dryRun(flags)}\n`);
    }
    io.out(`Import process completed successfully in namespace ${namespace}\n`);
    return 0;
  },
});

/** As backup.go NewImportCommand knows them. */
const kinds: ReadonlySet<string> = new Set([
  "/ConfigMap",
  "/Secret",
  ...["AppProject", "Application", "ApplicationSet"].map((kind) => `argoproj.io/${kind}`),
]);

function readBackup(text: string, namespace: string): Manifest[] {
  const documents = parseYamlDocuments(text, { file: "the backup" }).filter(({ value }) => value !== null);
  return documents.map(({ value }, index) => {
    if (!isManifest(value)) throw new ExitError(`document ${index + 1} of the backup is no object`, 20);
    if (!kinds.has(`${groupOf(value.apiVersion)}/${value.kind}`))
      throw new ExitError(`document ${index + 1}, ${named(value)}, is of no kind that a backup has`, 20);
    return { ...value, metadata: { ...value.metadata, namespace: value.metadata.namespace ?? namespace } };
  });
}

const dryRun = (flags: Values): string => (flags["dry-run"] ? " (dry run)" : "");

function named({ apiVersion, kind, metadata }: Manifest): string {
  return `${groupOf(apiVersion)}/${kind} ${metadata.name}`;
}

function leftOut(object: Manifest, controlNamespace: string): string {
  const { namespace } = object.metadata;
  return `${named(object)} in namespace ${namespace} is left out: neither the control namespace ${controlNamespace} nor --application-namespaces or --applicationset-namespaces has it`;
}

interface Label {
  readonly name: string;
  readonly value: string;
}

/** Whoever mistypes it would have touched what was to be left alone. */
function readLabel(text: string | undefined): Label | undefined {
  if (!text) return undefined;
  const [, name, value] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new UsageError(`--skip-resources-with-label: "${text}" is not name=value`);
  return { name, value };
}

function isSkipped({ metadata }: Manifest, skip: Label | undefined): boolean {
  return skip !== undefined && metadata.labels?.[skip.name] === skip.value;
}

interface Bring {
  readonly object: Manifest;
  readonly there: Manifest | undefined;
  readonly flags: Values;
  readonly signal: AbortSignal;
}

async function bring(
  client: KubeClient,
  { object, there, flags, signal }: Bring,
): Promise<"created" | "updated" | "unchanged"> {
  if (!there) {
    if (!flags["dry-run"]) await client.create(object, { signal });
    return "created";
  }
  const next = updated(object, there, flags);
  if (canonicalJson(next) === canonicalJson(there)) return "unchanged";
  if (flags["dry-run"]) return "updated";
  try {
    await client.replace(next, { signal });
  } catch (error) {
    if (!isConflict(error) || !flags["override-on-conflict"]) throw error;
    const newest = await client.get(refOf(there), signal);
    await client.replace(newest ? updated(object, newest, flags) : object, { signal });
  }
  return "updated";
}

const tracking = "app.kubernetes.io/instance";

/** What the backup says of labels, annotations, finalizers and content; all else stays (backup.go updateLive). */
function updated(object: Manifest, there: Manifest, flags: Values): Manifest {
  const { labels } = object.metadata;
  const kept = flags["ignore-tracking"] ? there.metadata.labels?.[tracking] : undefined;
  const nextLabels = kept && labels?.[tracking] ? { ...labels, [tracking]: kept } : labels;
  const { labels: _l, annotations: _a, finalizers: _f, ...metadata } = there.metadata;
  const { operation: _operation, ...withoutOperation } = there;
  const fields = there.kind === "Application" ? (["spec", "status"] as const) : (["data", "spec"] as const);
  return {
    ...(flags["stop-operation"] && there.kind === "Application" ? withoutOperation : there),
    ...Object.fromEntries(fields.flatMap((field) => (field in object ? [[field, object[field]]] : []))),
    apiVersion: there.apiVersion,
    kind: there.kind,
    metadata: {
      ...metadata,
      ...saidMetadata({ ...object.metadata, ...(nextLabels ? { labels: nextLabels } : {}) }),
    },
  };
}

function refOf({ apiVersion, kind, metadata }: Manifest): ObjectRef {
  return { apiVersion, kind, name: metadata.name ?? "", namespace: metadata.namespace };
}

/** Finalizers go first: what an application has deployed stays. */
async function prune(client: KubeClient, object: Manifest, signal: AbortSignal): Promise<void> {
  const ref = refOf(object);
  if (object.kind === "Application" && object.metadata.finalizers?.length)
    await client.patch(ref, { type: "merge", body: { metadata: { finalizers: null } } }, { signal });
  await client.delete(ref, { signal });
}
