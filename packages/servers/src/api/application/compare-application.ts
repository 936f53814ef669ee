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
} from "@capstan/engine";
import { knownKinds, type TenantCluster } from "@capstan/kube";
import {
  type Application,
  equalJson,
  instanceName,
  keyOf,
  type Manifest,
  parseGivenManifests,
  type ResourceKey,
} from "@capstan/model";
import type { ManifestResponse } from "@capstan/wire";
import type { ApiContext } from "../context.ts";
import { type ApplicationSecrets, secretsOfAnswers, secretsOfApplication } from "./application-secrets.ts";
import { dryRunDiff } from "./dry-run-diff.ts";
import { isOwned } from "./find-resource.ts";
import { openTenant } from "./open-tenant.ts";
import { comparedRevisionsOf, type RenderNeeds, renderSources } from "./render-sources.ts";

export type CompareNeeds = RenderNeeds & Pick<ApiContext, "kube" | "clusters">;

export interface ComparedApplication {
  cluster: TenantCluster;
  comparison: Comparison;
  hooks: readonly Manifest[];
  rules: DiffRules;
  answers: readonly ManifestResponse[];
  secrets: ApplicationSecrets;
  /** What is there under a key, as far as this caller may know of it. */
  liveOf(key: ResourceKey): Manifest | undefined;
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
  const cluster = openTenant(context, app);
  const [answers, deployed] = await Promise.all([
    options.manifests ? [] : renderSources(context, app, options),
    isOfLastComparison(app, options) ? undefined : secretsOfApplication(context, app, signal),
    cluster.live.ready(signal),
    cluster.client.discovery.resources(signal),
  ]);
  const own = secretsOfAnswers(app, answers);
  const manifests =
    options.manifests === undefined
      ? answers.flatMap((one) => one.manifests.map((m) => m.manifest))
      : parseGivenManifests(options.manifests);
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
  // Whoever brings manifests sees no more of the cluster than what the application has to do with.
  const liveOf = (key: ResourceKey): Manifest | undefined => {
    const object = cluster.live.get(key);
    const mayShow = !options.manifests || deployed?.names(key) === true;
    return object && (mayShow || isOwned(context, app, { cluster, object })) ? object : undefined;
  };
  const pairs = pairResources({
    targets: targets.resources,
    live: allLive(cluster.live.managedBy(instance), targets.resources, liveOf),
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
    permits: cluster.permits,
    diffOf: (pair) => verdicts.get(pair) ?? { verdict: "same", fields: [] },
  });
  const secrets = deployed ? bothHidden(own, deployed) : own;
  return { cluster, comparison, hooks: targets.hooks, rules, answers, secrets, liveOf };
}

/** The live objects are made from what was compared last; another revision may keep secret something else. */
function isOfLastComparison(app: Application, { manifests, revisions }: CompareOptions): boolean {
  return manifests === undefined && equalJson(revisions ?? [], comparedRevisionsOf(app));
}

function bothHidden(one: ApplicationSecrets, other: ApplicationSecrets): ApplicationSecrets {
  return {
    names: (key) => one.names(key) || other.names(key),
    hide: (versions, live) => other.hide(one.hide(versions, live), live),
  };
}

export function kindReader({
  client,
}: TenantCluster): (group: string, kind: string) => KindFacts | undefined {
  return (group, kind) => knownKinds(client.discovery).get(`${group}/${kind}`);
}

function allLive(
  managed: readonly Manifest[],
  targets: readonly Manifest[],
  liveOf: ComparedApplication["liveOf"],
): Manifest[] {
  const found = new Set<Manifest>(managed);
  for (const target of targets) {
    const object = liveOf(keyOf(target));
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
  cluster: TenantCluster,
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
