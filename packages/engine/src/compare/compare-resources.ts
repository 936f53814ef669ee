import { equalJson } from "@capstan/formats";
import {
  type Application,
  type ApplicationCondition,
  formatKey,
  type HealthStatus,
  keyOf,
  keyText,
  type Manifest,
  objectSyncOptions,
  type ResourceKey,
  type ResourceStatus,
  readSyncOptions,
  type SyncOptions,
  type SyncStatusCode,
  versionOf,
} from "@capstan/model";
import type { DiffResult } from "../diff/diff-rules.ts";
import { isHook, isIgnoredByHook } from "../marks/hooks.ts";
import { waveOf } from "../marks/waves.ts";
import { isSelfReferenced, type Tracking, trackedInstance } from "../tracking/tracking.ts";
import { compareOptions } from "./build-targets.ts";

/** One object as it should be and as it is; one of the two is there at least. */
export interface ResourcePair {
  key: ResourceKey;
  target?: Manifest;
  live?: Manifest;
}

export interface PairInput {
  /** From buildTargets. */
  targets: readonly Manifest[];
  /** From buildTargets: what lives where one of them is to come is the sync's to replace, and not to prune. */
  hooks?: readonly Manifest[];
  /** What the cluster holds under the targets' keys, and everything that carries this application's tracking. */
  live: readonly Manifest[];
  instance: string;
  tracking: Tracking;
}

/** Targets in their order, then what is only in the cluster, by name (Argo CD: gitops-engine pkg/sync/reconcile.go Reconcile). */
export function pairResources({ targets, hooks = [], live, instance, tracking }: PairInput): ResourcePair[] {
  const liveByKey = new Map(live.map((manifest) => [keyText(keyOf(manifest)), manifest]));
  const pairs: ResourcePair[] = [];
  for (const target of targets) {
    const key = keyOf(target);
    const text = keyText(key);
    const found = liveByKey.get(text);
    liveByKey.delete(text);
    pairs.push(found === undefined ? { key, target } : { key, target, live: found });
  }
  const awaited = new Set(hooks.map((hook) => keyText(keyOf(hook))));
  const surplus = [...liveByKey]
    .filter(([text, manifest]) => isHook(manifest) || !awaited.has(text))
    .map(([, manifest]) => manifest)
    .filter((manifest) => isManagedRoot(manifest, instance, tracking));
  for (const manifest of surplus) pairs.push({ key: keyOf(manifest), live: manifest });
  return pairs;
}

function isManagedRoot(manifest: Manifest, instance: string, tracking: Tracking): boolean {
  return (
    (manifest.metadata.ownerReferences ?? []).length === 0 && trackedInstance(manifest, tracking) === instance
  );
}

export interface CompareInput {
  app: Application;
  instance: string;
  tracking: Tracking;
  pairs: readonly ResourcePair[];
  /** The verdict of diffManifest, or of a server-side dry run, for a pair that has both sides. */
  diffOf: (pair: ResourcePair) => DiffResult;
  /** The project's rules; what it forbids shows as Unknown. */
  permits?: (key: ResourceKey) => boolean;
  /** As in ComparedResource: where there is one, nothing is known of the application. */
  refusalOf?: (pair: ResourcePair) => string | undefined;
  /** Kinds whose live objects are not known: they show as Unknown, and nothing of them is pruned. */
  isUnreadable?: (key: ResourceKey) => boolean;
  healthOf?: (live: Manifest) => HealthStatus | undefined;
}

export interface ComparedResource extends ResourcePair {
  diff?: DiffResult;
  /** Why the server does not take what git says of it, where it was asked. */
  refusal?: string;
  status: ResourceStatus;
  /** Counts for the application's status. */
  isOutOfSync: boolean;
  requiresPruning: boolean;
}

export interface Comparison {
  status: SyncStatusCode;
  resources: ComparedResource[];
  conditions: Pick<ApplicationCondition, "type" | "message">[];
}

/** Status of each object and of the whole (Argo CD: controller/state.go CompareAppState). */
export function compareResources(input: CompareInput): Comparison {
  const options = readSyncOptions(input.app.spec.syncPolicy?.syncOptions);
  const resources = input.pairs.map((pair) => comparePair(pair, { ...input, options }));
  const refused = refusals(resources);
  const conditions = [...refused, ...sharedWarnings(input)];
  if (refused.length > 0) return { status: "Unknown", resources: resources.map(unknown), conditions };
  const isOutOfSync =
    resources.some((resource) => resource.isOutOfSync) || hasChangedNamespaceMetadata(input.app);
  const isUnknown = input.pairs.some(({ key }) => input.isUnreadable?.(key));
  const status = isOutOfSync ? "OutOfSync" : isUnknown ? "Unknown" : "Synced";
  return { status, resources, conditions };
}

/** The first of them, as in Argo CD, and how many more there are. */
function refusals(resources: readonly ComparedResource[]): Comparison["conditions"] {
  const [first, ...others] = resources.flatMap(({ key, refusal }) =>
    refusal === undefined ? [] : [`${formatKey(key)}: ${refusal}`],
  );
  if (first === undefined) return [];
  const more = others.length === 0 ? "" : ` (and ${others.length} more objects)`;
  const message = `Failed to compare desired state to live state: the dry run of ${first}${more}`;
  return [{ type: "ComparisonError", message }];
}

function unknown(resource: ComparedResource): ComparedResource {
  const { status } = resource;
  return status.status === undefined ? resource : { ...resource, status: { ...status, status: "Unknown" } };
}

/** The destination namespace is no resource; the last sync tells which metadata it was given (v1alpha1 HasChangedManagedNamespaceMetadata). */
function hasChangedNamespaceMetadata({ spec, status }: Application): boolean {
  const wanted = spec.syncPolicy?.managedNamespaceMetadata;
  const given = status?.operationState?.syncResult;
  return wanted !== undefined && given !== undefined && !equalJson(wanted, given.managedNamespaceMetadata);
}

/** With what the application's sync options decide. */
type PairInputs = CompareInput & { options: SyncOptions };

function comparePair(pair: ResourcePair, input: PairInputs): ComparedResource {
  const { target, live } = pair;
  const isKnown = input.isUnreadable?.(pair.key) !== true;
  const diff = target !== undefined && live !== undefined ? input.diffOf(pair) : undefined;
  const object = target ?? live;
  const isOwn = live === undefined || isSelfReferenced(live, input.tracking);
  const hasStatus = object !== undefined && isOwn && !isHook(object) && !isIgnoredByHook(object);
  const differs = diff === undefined ? target === undefined || live === undefined : diff.verdict !== "same";
  const isSurplus = isKnown && target === undefined && live !== undefined && isOwn;
  const requiresPruning = isSurplus && hasStatus;
  const isExtraneous =
    target === undefined && live !== undefined && compareOptions(live).has("IgnoreExtraneous");
  const status: ResourceStatus = {
    ...describeObject(pair),
    ...(hasStatus ? { status: statusOf(pair, differs, input) } : {}),
    ...(isShownAsHook(pair) ? { hook: true } : {}),
    ...(isSurplus ? { requiresPruning: true } : {}),
    ...(needsConfirmation(pair, input.options) ? { requiresDeletionConfirmation: true } : {}),
    ...healthFields(live, input),
  };
  const compared: ComparedResource = {
    ...pair,
    status,
    isOutOfSync: isKnown && hasStatus && differs && !isExtraneous,
    requiresPruning,
  };
  if (diff !== undefined) compared.diff = diff;
  const refusal = input.refusalOf?.(pair);
  if (refusal !== undefined) compared.refusal = refusal;
  return compared;
}

/** What git has as Skip leaves alone what lives: that is told as it is. */
function isShownAsHook({ target, live }: ResourcePair): boolean {
  const isLeftAlone = target !== undefined && isIgnoredByHook(target);
  const shown = isLeftAlone ? (live ?? target) : (target ?? live);
  return shown !== undefined && isHook(shown);
}

function statusOf(
  { key }: ResourcePair,
  differs: boolean,
  { permits, isUnreadable }: CompareInput,
): SyncStatusCode {
  if (permits?.(key) === false || isUnreadable?.(key)) return "Unknown";
  return differs ? "OutOfSync" : "Synced";
}

function describeObject({ key, target, live }: ResourcePair): ResourceStatus {
  const object = target ?? live;
  const wave = target === undefined ? 0 : waveOf(target);
  return {
    ...(key.group === "" ? {} : { group: key.group }),
    version: versionOf(object?.apiVersion ?? ""),
    kind: key.kind,
    ...(key.namespace === "" ? {} : { namespace: key.namespace }),
    name: key.name,
    ...(wave === 0 ? {} : { syncWave: wave }),
  };
}

/** Missing is what an absent object's health is called (controller/health.go). */
function healthFields(live: Manifest | undefined, { healthOf }: CompareInput): { health?: HealthStatus } {
  if (healthOf === undefined) return {};
  if (live === undefined) return { health: { status: "Missing" } };
  const health = healthOf(live);
  return health === undefined ? {} : { health };
}

function needsConfirmation({ target, live }: ResourcePair, options: SyncOptions): boolean {
  const own = objectSyncOptions(options, target ?? live);
  return own.delete === "confirmed" || own.prune === "confirmed";
}

function sharedWarnings({ pairs, instance, tracking }: CompareInput): Comparison["conditions"] {
  const conditions: Comparison["conditions"] = [];
  for (const { key, target, live } of pairs) {
    if (target === undefined || live === undefined || !isSelfReferenced(live, tracking)) continue;
    const other = trackedInstance(live, tracking);
    if (other === undefined || other === "" || other === instance) continue;
    conditions.push({
      type: "SharedResourceWarning",
      message: `${formatKey(key)} is part of applications ${instance} and ${other}`,
    });
  }
  return conditions;
}
