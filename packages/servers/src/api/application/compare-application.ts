import {
  buildTargets,
  type Comparison,
  compareResources,
  type DiffResult,
  type DiffRules,
  diffManifest,
  type KindFacts,
  pairResources,
  type ResourcePair,
  type ValuePath,
} from "@capstan/engine";
import type { Cluster } from "@capstan/kube";
import {
  type Application,
  CapstanError,
  instanceName,
  isManifest,
  keyOf,
  keyText,
  type Manifest,
  parseJson,
  type ResourceKey,
} from "@capstan/model";
import type { ManifestResponse } from "@capstan/wire";
import type { ApiContext } from "../context.ts";
import { dryRunDiff } from "./dry-run-diff.ts";
import { type RenderNeeds, renderSources } from "./render-sources.ts";

export type CompareNeeds = RenderNeeds & Pick<ApiContext, "kube" | "clusters">;

export interface ComparedApplication {
  cluster: Cluster;
  comparison: Comparison;
  hooks: readonly Manifest[];
  rules: DiffRules;
  answers: readonly ManifestResponse[];
  /** Where the object holds what may not be shown. */
  secretsOf(key: ResourceKey): readonly ValuePath[] | undefined;
}

interface CompareOptions {
  revisions?: readonly (string | undefined)[] | undefined;
  /** JSON texts instead of a render. */
  manifests?: readonly string[] | undefined;
  noCache?: boolean | undefined;
  signal: AbortSignal;
}

/** What git says beside what the cluster holds, by the same rules as the controller's comparison. */
export async function compareApplication(
  context: CompareNeeds,
  app: Application,
  options: CompareOptions,
): Promise<ComparedApplication> {
  const { signal } = options;
  const { settings, controlNamespace } = context;
  const cluster = context.clusters.forDestination(app.spec.destination);
  const [answers] = await Promise.all([
    options.manifests ? [] : renderSources(context, app, options),
    cluster.live.ready(signal),
    cluster.client.discovery.resources(signal),
  ]);
  const manifests =
    options.manifests?.map(readManifest) ?? answers.flatMap((one) => one.manifests.map((m) => m.manifest));
  const instance = instanceName(app, controlNamespace);
  const { tracking } = settings.current.general;
  const targets = buildTargets({
    manifests,
    instance,
    namespace: app.spec.destination.namespace ?? "",
    tracking,
    kindOf: kindReader(cluster),
    isExcluded: (group, kind) => context.clusters.isExcluded({ group, kind }, cluster.server),
  });
  const pairs = pairResources({
    targets: targets.resources,
    live: liveOf(cluster, instance, targets.resources),
    instance,
    tracking,
  });
  const rules = diffRules(context, app);
  const verdicts = await settleDoubts(cluster, pairs, { rules, signal });
  const comparison = compareResources({
    app,
    instance,
    tracking,
    pairs,
    diffOf: (pair) => verdicts.get(pair) ?? { verdict: "same", fields: [] },
  });
  const secretsOf = secretReader(answers, app.spec.destination.namespace ?? "");
  return { cluster, comparison, hooks: targets.hooks, rules, answers, secretsOf };
}

/** A manifest without a namespace is the destination's, or of no namespace at all. */
function secretReader(
  answers: readonly ManifestResponse[],
  namespace: string,
): ComparedApplication["secretsOf"] {
  const found = new Map<string, readonly ValuePath[]>();
  for (const { manifest, secretPaths } of answers.flatMap((one) => one.manifests)) {
    if (secretPaths === undefined) continue;
    const key = keyOf(manifest);
    found.set(keyText(key), secretPaths);
    if (key.namespace === "") found.set(keyText({ ...key, namespace }), secretPaths);
  }
  return (key) => found.get(keyText(key));
}

function readManifest(text: string): Manifest {
  const value = parseJson(text);
  if (isManifest(value)) return value;
  const problem = "is not a JSON object with apiVersion, kind and metadata";
  throw new CapstanError({ code: "MANIFEST_INVALID", file: "the request", problem });
}

export function kindReader({ client }: Cluster): (group: string, kind: string) => KindFacts | undefined {
  const kinds = new Map<string, KindFacts>();
  for (const row of client.discovery.known()) kinds.set(`${row.group}/${row.kind}`, row);
  return (group, kind) => kinds.get(`${group}/${kind}`);
}

function liveOf({ live }: Cluster, instance: string, targets: readonly Manifest[]): Manifest[] {
  const found = new Set<Manifest>(live.managedBy(instance));
  for (const target of targets) {
    const object = live.get(keyOf(target));
    if (object) found.add(object);
  }
  return [...found];
}

export function diffRules({ settings }: Pick<ApiContext, "settings">, app: Application): DiffRules {
  const { ignoreDifferences, ignoreResourceStatusField, ignoreAggregatedRoles } = settings.current.general;
  return {
    ignoreDifferences: [...(app.spec.ignoreDifferences ?? []), ...ignoreDifferences],
    ignoreStatus: ignoreResourceStatusField,
    ignoreAggregatedRoles,
  };
}

const dryRunsAtOnce = 10;

/** Values decide nearly every pair; the server is asked about what is left. */
async function settleDoubts(
  cluster: Cluster,
  pairs: readonly ResourcePair[],
  { rules, signal }: { rules: DiffRules; signal: AbortSignal },
): Promise<Map<ResourcePair, DiffResult>> {
  const verdicts = new Map<ResourcePair, DiffResult>();
  const doubtful: [ResourcePair, Manifest, Manifest][] = [];
  for (const pair of pairs) {
    const { target, live } = pair;
    if (!target || !live) continue;
    const diff = diffManifest(target, live, rules);
    verdicts.set(pair, diff);
    if (diff.verdict === "doubt") doubtful.push([pair, target, live]);
  }
  const waiting = doubtful.values();
  const work = async () => {
    for (const [pair, target, live] of waiting)
      verdicts.set(pair, (await dryRunDiff(cluster, { target, live, rules, signal })).diff);
  };
  await Promise.all(Array.from({ length: Math.min(dryRunsAtOnce, doubtful.length) }, work));
  return verdicts;
}
