import {
  type Application,
  annotationKeys,
  finalizers,
  formatSyncOption,
  keyOf,
  type Manifest,
  objectSyncOptions,
  type ResourceKey,
  readSyncOptions,
  versionOf,
} from "@capstan/model";
import { waveOf } from "../marks/waves.ts";
import { isCrd } from "../tracking/tracking.ts";
import { isApproved } from "./is-approved.ts";
import type { PropagationPolicy } from "./sync-plan.ts";

export interface DeletionInput {
  app: Application;
  /** What the application owns in the cluster, as far as the project permits it. */
  live: readonly Manifest[];
}

export interface Deletion {
  key: ResourceKey;
  version: string;
  uid: string;
}

export interface KeptObject {
  key: ResourceKey;
  because: string;
}

/**
 * What a cascade does now: one wave at a time, the last one first, waiting for each to be gone
 * (Argo CD: controller/sort_delete.go).
 */
export interface DeletionPlan {
  state: "delete" | "wait" | "confirm" | "done";
  deletions: Deletion[];
  /** Objects that are on their way out. */
  leaving: ResourceKey[];
  kept: KeptObject[];
  propagation: PropagationPolicy;
}

export function planDeletion({ app, live }: DeletionInput): DeletionPlan {
  const options = readSyncOptions(app.spec.syncPolicy?.syncOptions);
  const kept: KeptObject[] = [];
  const going: Manifest[] = [];
  let unconfirmed = false;
  for (const manifest of live) {
    const because = reasonToKeep(manifest, app);
    const own = objectSyncOptions(options, manifest);
    if (because !== undefined) kept.push({ key: keyOf(manifest), because });
    else if (own.delete === "forbidden")
      kept.push({ key: keyOf(manifest), because: formatSyncOption("Delete", false) });
    else {
      going.push(manifest);
      unconfirmed ||= own.delete === "confirmed" || own.prune === "confirmed";
    }
  }
  const plan = { kept, propagation: propagationOf(app), deletions: [], leaving: [] };
  if (going.length === 0) return { ...plan, state: "done" };
  if (unconfirmed && !isApproved(app, app.metadata.deletionTimestamp ?? ""))
    return { ...plan, state: "confirm" };
  return { ...plan, ...lastWave(going) };
}

function lastWave(going: readonly Manifest[]): Pick<DeletionPlan, "state" | "deletions" | "leaving"> {
  const last = Math.max(...going.map(waveOf));
  const wave = going.filter((manifest) => waveOf(manifest) === last);
  const isLeaving = ({ metadata }: Manifest): boolean => metadata.deletionTimestamp !== undefined;
  const deletions = wave
    .filter((manifest) => !isLeaving(manifest))
    .map((manifest) => ({
      key: keyOf(manifest),
      version: versionOf(manifest.apiVersion),
      uid: manifest.metadata.uid ?? "",
    }));
  return {
    state: deletions.length > 0 ? "delete" : "wait",
    deletions,
    leaving: wave.filter(isLeaving).map(keyOf),
  };
}

function reasonToKeep(manifest: Manifest, app: Application): string | undefined {
  if (isCrd(manifest)) return "CustomResourceDefinitions outlive applications";
  const { annotations, name, namespace } = manifest.metadata;
  const isItself =
    manifest.kind === "Application" &&
    name === app.metadata.name &&
    namespace === app.metadata.namespace &&
    manifest.apiVersion.startsWith("argoproj.io/");
  if (isItself) return "the application itself";
  if (annotations?.[annotationKeys.helmResourcePolicy] === "keep") return "helm.sh/resource-policy: keep";
  return undefined;
}

function propagationOf(app: Application): PropagationPolicy {
  return app.metadata.finalizers?.includes(finalizers.resourcesBackground) === true
    ? "Background"
    : "Foreground";
}
