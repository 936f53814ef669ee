import {
  buildTargets,
  type ComparedBy,
  type Comparison,
  comparedBy,
  compareResources,
  decideApply,
  isNamespaceObject,
  type KindFacts,
  managedNamespace,
  pairResources,
  type Targets,
  type Tracking,
  trackedInstance,
} from "@capstan/engine";
import { isRecord } from "@capstan/formats";
import { knownKinds, type TenantCluster } from "@capstan/kube";
import {
  type Application,
  type ApplyMode,
  groupOf,
  instanceName,
  keyOf,
  keyText,
  type Manifest,
  type ResourceKey,
  readSyncOptions,
} from "@capstan/model";
import type { RenderedManifest } from "@capstan/wire";
import type { ComparisonMemory } from "./comparison-memory.ts";
import { diffRules } from "./diff-rules.ts";
import type { Urgency } from "./dry-runs.ts";
import { fetchByName } from "./fetch-by-name.ts";
import type { RuleUse } from "./jq-deletions.ts";
import type { HealthOf } from "./object-health.ts";
import type { PlanningNeeds } from "./planning-needs.ts";
import { scriptConditions } from "./script-conditions.ts";
import { unreadableConditions } from "./unreadable-conditions.ts";

/** Desired and live side by side. */
export interface LiveComparison extends Comparison {
  hooks: readonly Manifest[];
  targets: readonly Manifest[];
  /** By which it was compared. */
  ruleUse: RuleUse;
  by: ComparedBy;
}

export interface CompareInput {
  app: Application;
  cluster: TenantCluster;
  desired: { manifests: readonly RenderedManifest[] };
  memory: ComparisonMemory;
  /** Less of the live state than the project permits, for who asks: what is hidden counts as absent. */
  mayShow?: ((live: Manifest) => boolean) | undefined;
  /** Default: as the application and the settings say. */
  by?: ComparedBy | undefined;
  urgency?: Urgency;
}

type Needs = Pick<PlanningNeeds, "settings" | "clusters" | "controlNamespace" | "clock" | "scripts">;

/** Compares without a request wherever memory tells; what it cannot tell is asked with a dry run. */
export async function compareLive(
  needs: Needs,
  input: CompareInput,
  signal: AbortSignal,
): Promise<LiveComparison> {
  const { app, cluster, memory, urgency = "usual" } = input;
  const { general } = needs.settings.current;
  const { tracking } = general;
  const { verdicts } = memory;
  const by = input.by ?? comparedBy(app, general);
  const instance = instanceName(app, needs.controlNamespace);
  const targets = targetsOf(needs, input, { tracking, instance });
  const named = await fetchByName(cluster, targets.resources, signal);
  const live = await liveOf(targets.resources, { input, instance, named }, signal);
  const pairs = pairResources({
    targets: targets.resources,
    hooks: targets.hooks,
    live,
    instance,
    tracking,
  });
  const unreadable = (key: ResourceKey) =>
    named.has(keyText(key)) ? undefined : cluster.live.unreadable(key);
  const rules = diffRules(memory, general, app.spec);
  const ruleUse = { asker: instance, rules, own: app.spec.ignoreDifferences?.length ?? 0 };
  const modeOf = applyModes(app);
  const { health, jq, dryRuns } = needs.scripts;
  const { clock } = needs;
  await verdicts.judge({ cluster, clock, jq, dryRuns, pairs, ruleUse, modeOf, by, urgency }, signal);
  const compare = (healthOf: HealthOf) =>
    compareResources({
      app,
      instance,
      tracking,
      pairs,
      permits: cluster.permits,
      isUnreadable: (key) => unreadable(key) !== undefined,
      healthOf,
      diffOf: (pair) => verdicts.of(pair),
      refusalOf: (pair) => verdicts.refusalOf(pair),
    });
  const comparison = await health.judged(instance, compare, signal);
  return {
    ...comparison,
    conditions: [
      ...targets.conditions,
      ...comparison.conditions,
      ...unreadableConditions({ name: cluster.name, unreadable }, pairs),
      ...scriptConditions(health, comparison.resources),
    ],
    hooks: targets.hooks,
    targets: targets.resources,
    ruleUse,
    by,
  };
}

/** How a sync with the application's own options would write an object. */
export function applyModes(app: Application): (target: Manifest, live: Manifest) => ApplyMode {
  const options = readSyncOptions(app.spec.syncPolicy?.syncOptions);
  return (target, live) => decideApply({ app, options, target, live });
}

type TargetsNeeds = Pick<PlanningNeeds, "settings" | "clusters" | "controlNamespace">;

export type TargetsInput = Pick<CompareInput, "app" | "cluster" | "desired" | "memory">;

/** The hooks among what is desired. */
export function buildHooks(needs: TargetsNeeds, input: TargetsInput): readonly Manifest[] {
  const tracking = needs.settings.current.general.tracking;
  return targetsOf(needs, input, { tracking, instance: instanceName(input.app, needs.controlNamespace) })
    .hooks;
}

interface Identity {
  tracking: Tracking;
  instance: string;
}

/** Built once for the same manifests, so that unchanged targets stay the same objects. */
function targetsOf(needs: TargetsNeeds, input: TargetsInput, { tracking, instance }: Identity): Targets {
  const { app, cluster, desired, memory } = input;
  const { general } = needs.settings.current;
  const namespace = app.spec.destination.namespace ?? "";
  const rows = cluster.client.discovery.known();
  const { built } = memory;
  const own = keptNamespace(app, cluster, { tracking, instance });
  const kept = own === undefined ? "" : JSON.stringify(own);
  const holds =
    built?.manifests === desired.manifests &&
    built.rows === rows &&
    built.general === general &&
    built.namespace === namespace &&
    built.kept === kept;
  if (holds) return built.targets;
  const rendered = desired.manifests.map(({ manifest }) => manifest);
  const isRendered = rendered.some((one) => isNamespaceObject(one) && one.metadata.name === namespace);
  const manifests = own === undefined || isRendered ? rendered : [...rendered, own];
  const targets = buildTargets({
    manifests,
    instance,
    namespace,
    tracking,
    kindOf: kindsOf(cluster, manifests),
    reach: cluster.reach,
    isExcluded: (group, kind) => needs.clusters.isExcluded({ group, kind }, cluster.server),
  });
  memory.built = { manifests: desired.manifests, rows, general, namespace, kept, targets };
  return targets;
}

/**
 * The destination's namespace as managedNamespaceMetadata has it, where it carries the application's tracking: it is not
 * pruned for want of a manifest (controller/state.go isManagedNamespace).
 */
function keptNamespace(
  { spec }: Application,
  { live }: TenantCluster,
  { tracking, instance }: Identity,
): Manifest | undefined {
  const metadata = spec.syncPolicy?.managedNamespaceMetadata;
  const name = spec.destination.namespace ?? "";
  if (metadata === undefined || name === "") return undefined;
  const found = live.get({ group: "", kind: "Namespace", namespace: "", name });
  if (found === undefined || trackedInstance(found, tracking) !== instance) return undefined;
  return managedNamespace(name, spec);
}

type KindOf = (group: string, kind: string) => KindFacts | undefined;

/** What the cluster serves, and what it will serve once the CRDs among the manifests are there. */
function kindsOf({ client }: TenantCluster, manifests: readonly Manifest[]): KindOf {
  const known = knownKinds(client.discovery);
  const coming = new Map<string, KindFacts>();
  for (const { kind, apiVersion, spec } of manifests) {
    if (kind !== "CustomResourceDefinition" || groupOf(apiVersion) !== "apiextensions.k8s.io") continue;
    if (!isRecord(spec) || !isRecord(spec.names)) continue;
    coming.set(`${String(spec.group)}/${String(spec.names.kind)}`, { namespaced: spec.scope !== "Cluster" });
  }
  return (group, kind) => known.get(`${group}/${kind}`) ?? coming.get(`${group}/${kind}`);
}

interface LiveInput {
  input: CompareInput;
  instance: string;
  /** By the text of their key. */
  named: ReadonlyMap<string, Manifest | undefined>;
}

/**
 * What lives under the targets' keys and what carries our tracking; what the project does not permit is not there,
 * so that it is never shown or pruned (controller/state.go).
 */
async function liveOf(
  targets: readonly Manifest[],
  { input, instance, named }: LiveInput,
  signal: AbortSignal,
): Promise<Manifest[]> {
  const { cluster, memory, mayShow } = input;
  const found = new Map<string, Manifest>();
  for (const object of cluster.live.managedBy(instance)) found.set(keyText(keyOf(object)), object);
  await Promise.all(
    targets.map(async (target) => {
      const key = keyOf(target);
      const live = named.has(keyText(key)) ? named.get(keyText(key)) : cluster.live.get(key);
      if (!live || mayShow?.(live) === false) return;
      found.set(keyText(key), await memory.verdicts.inVersionOf(cluster.client, { target, live }, signal));
    }),
  );
  return [...found.values()];
}
