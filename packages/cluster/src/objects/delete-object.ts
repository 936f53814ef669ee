import { fromStored, toStored } from "../registry/convert.ts";
import { crdType } from "../registry/registry.ts";
import type { Served } from "../registry/served.ts";
import type { User } from "../security/user.ts";
import type { Entry } from "../store/entry.ts";
import { isRecord, type KubeObject, type ObjectMeta } from "../types.ts";
import { forbidden, preconditionFailed } from "./failures.ts";
import { timestamp, type World } from "./world.ts";

/** Held until no object of a CRD is left. */
export const customResourceCleanup = "customresourcecleanup.apiextensions.k8s.io";

export type Propagation = "Background" | "Foreground" | "Orphan";

export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly propagation?: Propagation;
  readonly gracePeriodSeconds?: number;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly requester?: User;
  readonly warn?: (text: string) => void;
}

export interface Deleted {
  /** The last state; still there when `gone` is false. */
  readonly object: KubeObject;
  readonly gone: boolean;
}

const protectedNamespaces = new Set(["default", "kube-system", "kube-public"]);

/** Removes an object, or marks it where finalizers or a grace period hold it (apiserver registry/generic store.Delete). */
export function deleteObject(
  world: World,
  target: { served: Served; live: Entry },
  options: DeleteOptions,
): Deleted {
  const { served, live } = target;
  const object = live.object;
  checkPreconditions(served, live, options);
  if (served.type === "/namespaces" && protectedNamespaces.has(live.name))
    throw forbidden({ info: served.info, name: live.name }, "this namespace may not be deleted");
  world.admission.validate({
    operation: "DELETE",
    served,
    subresource: "",
    namespace: live.namespace,
    name: live.name,
    object: undefined,
    previous: fromStored(served, object),
    dryRun: options.dryRun,
    requester: options.requester,
    warn: (text) => options.warn?.(text),
  });
  const finalizers = nextFinalizers(served, object.metadata, options);
  const grace = gracePeriod(served, object, options);
  const held =
    finalizers.length > 0 || grace > 0 || (served.type === "/namespaces" && hasSpecFinalizers(object));
  const marked = countMark(served, object.metadata, mark(world, served, { object, finalizers, grace }));
  if (!held) {
    const last = served.type === "/pods" ? marked : object;
    return { object: options.dryRun ? last : world.store.remove(live, last).object, gone: true };
  }
  if (options.dryRun || isSameMark(object.metadata, marked.metadata)) return { object: marked, gone: false };
  return { object: world.store.put(served.type, toStored(served, marked), live).object, gone: false };
}

function checkPreconditions(served: Served, live: Entry, { uid, resourceVersion }: DeleteOptions): void {
  if (uid !== undefined && uid !== live.uid)
    throw preconditionFailed(
      served.info,
      live.name,
      `the UID in the precondition (${uid}) does not match the UID in record (${live.uid}). The object might have been deleted and then recreated`,
    );
  const { resourceVersion: current } = live.object.metadata;
  if (resourceVersion !== undefined && resourceVersion !== current)
    throw preconditionFailed(
      served.info,
      live.name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${current}). The object might have been modified`,
    );
}

/** registry/generic store.deletionFinalizersForGarbageCollection */
function nextFinalizers(served: Served, metadata: ObjectMeta, options: DeleteOptions): string[] {
  const { finalizers = [], deletionTimestamp } = metadata;
  // pkg/registry/core/event strategy.DefaultGarbageCollectionPolicy: events have no dependents.
  if (served.type === "/events") return finalizers;
  // apiextensions' strategy: what the definition defines goes first.
  if (served.type === crdType && deletionTimestamp === undefined)
    return [...new Set([...finalizers, customResourceCleanup])];
  const byDefault = served.facts.orphansDependents && deletionTimestamp === undefined ? "Orphan" : undefined;
  const propagation = options.propagation ?? byDefault;
  if (propagation === undefined) return finalizers;
  const others = finalizers.filter(
    (finalizer) => finalizer !== "orphan" && finalizer !== "foregroundDeletion",
  );
  if (propagation === "Orphan") return [...others, "orphan"];
  if (propagation === "Foreground") return [...others, "foregroundDeletion"];
  return others;
}

/** Only Pods wait for someone to end what runs (pkg/registry/core/pod strategy.CheckGracefulDelete). */
function gracePeriod(served: Served, object: KubeObject, { gracePeriodSeconds }: DeleteOptions): number {
  if (served.type !== "/pods") return 0;
  const spec = isRecord(object.spec) ? object.spec : {};
  const phase = isRecord(object.status) ? object.status.phase : undefined;
  if (!spec.nodeName || phase === "Succeeded" || phase === "Failed") return 0;
  const own =
    typeof spec.terminationGracePeriodSeconds === "number" ? spec.terminationGracePeriodSeconds : 30;
  const asked = Math.max(gracePeriodSeconds ?? own, 0);
  const running = object.metadata.deletionGracePeriodSeconds;
  return running === undefined ? asked : Math.min(asked, running);
}

interface Mark {
  object: KubeObject;
  finalizers: readonly string[];
  grace: number;
}

function mark({ clock }: World, { type }: Served, { object, finalizers, grace }: Mark): KubeObject {
  const namespace = type === "/namespaces";
  const { finalizers: _finalizers, ...metadata } = object.metadata;
  const shorter = grace < (metadata.deletionGracePeriodSeconds ?? Number.POSITIVE_INFINITY);
  const deletionTimestamp =
    metadata.deletionTimestamp !== undefined && !shorter
      ? metadata.deletionTimestamp
      : timestamp(clock, grace * 1_000);
  const status = isRecord(object.status) ? object.status : {};
  return {
    ...object,
    metadata: {
      ...metadata,
      deletionTimestamp,
      ...(!namespace && type !== crdType && { deletionGracePeriodSeconds: grace }),
      ...(finalizers.length > 0 && { finalizers: [...finalizers] }),
    },
    ...(namespace && { status: { ...status, phase: "Terminating" } }),
  };
}

function isSameMark(before: ObjectMeta, after: ObjectMeta): boolean {
  return (
    before.deletionTimestamp !== undefined &&
    before.deletionGracePeriodSeconds === after.deletionGracePeriodSeconds &&
    (before.finalizers ?? []).join() === (after.finalizers ?? []).join()
  );
}

/** apiserver pkg/registry/rest BeforeDelete; definitions and namespaces have a way of their own. */
function countMark({ type }: Served, before: ObjectMeta, marked: KubeObject): KubeObject {
  const counts = type !== crdType && type !== "/namespaces" && before.deletionTimestamp === undefined;
  if (!counts || !before.generation) return marked;
  return { ...marked, metadata: { ...marked.metadata, generation: before.generation + 1 } };
}

function hasSpecFinalizers(namespace: KubeObject): boolean {
  const finalizers = isRecord(namespace.spec) ? namespace.spec.finalizers : undefined;
  return Array.isArray(finalizers) && finalizers.length > 0;
}
