import {
  annotationKeys,
  formatTrackingId,
  groupOf,
  keyOf,
  labelKeys,
  type Manifest,
  parseTrackingId,
} from "@capstan/model";
import { isHook } from "../marks/hooks.ts";

export type TrackingMethod = "annotation" | "annotation+label" | "label";

export interface Tracking {
  method: TrackingMethod;
  /** `application.instanceLabelKey`. */
  instanceLabelKey: string;
  /** Set when several installations work on one cluster. */
  installationId?: string;
}

export const defaultTracking: Tracking = { method: "annotation", instanceLabelKey: labelKeys.instance };

export interface Owner {
  /** Instance name of the application (model's instanceName). */
  instance: string;
  /** `destination.namespace`; stands in the id of objects without a namespace of their own. */
  namespace: string;
}

const maxLabelLength = 63;

/**
 * A copy of the manifest that says which application it belongs to. CRDs stay as they are, so that removing an
 * application never removes them (util/argo/resource_tracking.go, reposerver GenerateManifests).
 */
export function track(manifest: Manifest, owner: Owner, tracking: Tracking): Manifest {
  if (isCrd(manifest)) return manifest;
  const { method, instanceLabelKey, installationId } = tracking;
  const metadata = { ...manifest.metadata };
  if (method !== "annotation") {
    const label = method === "label" ? owner.instance : shortenLabel(owner.instance);
    metadata.labels = { ...metadata.labels, [instanceLabelKey]: label };
  }
  if (method !== "label") {
    const key = keyOf(manifest);
    const namespace = key.namespace === "" ? owner.namespace : key.namespace;
    metadata.annotations = {
      ...metadata.annotations,
      [annotationKeys.trackingId]: formatTrackingId(owner.instance, { ...key, namespace }),
    };
    if (installationId !== undefined) metadata.annotations[annotationKeys.installationId] = installationId;
  }
  return { ...manifest, metadata };
}

function shortenLabel(text: string): string {
  return text.slice(0, maxLabelLength).replace(/[^A-Za-z0-9]+$/, "");
}

/** The instance name that an object carries, if it carries one of this installation. */
export function trackedInstance(manifest: Manifest, tracking: Tracking): string | undefined {
  const { annotations, labels } = manifest.metadata;
  if (tracking.method === "label") return labels?.[tracking.instanceLabelKey];
  if (annotations === undefined) return undefined;
  const { installationId } = tracking;
  if (installationId !== undefined && annotations[annotationKeys.installationId] !== installationId)
    return undefined;
  const id = annotations[annotationKeys.trackingId];
  return id === undefined ? undefined : parseTrackingId(id)?.instance;
}

/**
 * Whether the tracking id describes the object that carries it. Controllers copy annotations to what they create
 * (an ingress shim, a job template), and such copies are nobody's (controller/state.go isSelfReferencedObj).
 */
export function isSelfReferenced(live: Manifest, tracking: Tracking): boolean {
  if (tracking.method === "label") return true;
  const text = live.metadata.annotations?.[annotationKeys.trackingId];
  if (text === undefined) return true;
  const id = parseTrackingId(text);
  if (id === undefined) return false;
  const key = keyOf(live);
  // A hook with generateName is tracked before the sync gives it a name.
  const isNamed = id.key.name === key.name || (id.key.name === "" && isHook(live));
  return (
    isNamed &&
    id.key.kind === key.kind &&
    id.key.group === key.group &&
    // The id of a cluster-scoped object holds the destination's namespace.
    (key.namespace === "" || id.key.namespace === key.namespace)
  );
}

export function isCrd(manifest: Manifest): boolean {
  return (
    manifest.kind === "CustomResourceDefinition" && groupOf(manifest.apiVersion) === "apiextensions.k8s.io"
  );
}
