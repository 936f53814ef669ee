import { asWritten, fromStored, toStored } from "../registry/convert.ts";
import type { Served } from "../registry/served.ts";
import type { User } from "../security/user.ts";
import type { Entry } from "../store/entry.ts";
import { isRecord, type KubeObject, type ObjectMeta } from "../types.ts";
import type { WebhookAnswers } from "../webhooks/answers.ts";
import { forbidden, preconditionFailed } from "./failures.ts";
import { timestamp, type World } from "./world.ts";

export type Propagation = "Background" | "Foreground" | "Orphan";

export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly propagation?: Propagation;
  readonly gracePeriodSeconds?: number;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly requester?: User;
  readonly answers?: WebhookAnswers;
  readonly warn?: (text: string) => void;
}

export interface Deleted {
  /** The last state; still there when `gone` is false. */
  readonly object: KubeObject;
  readonly gone: boolean;
}

/** Removes an object, or marks it where finalizers or a grace period hold it (apiserver registry/generic store.Delete). */
export function deleteObject(
  world: World,
  target: { served: Served; live: Entry },
  options: DeleteOptions,
): Deleted {
  const { served, live } = target;
  const object = live.object;
  checkPreconditions(served, live, options);
  const { deletion = {} } = served.rules;
  if (deletion.forbidden?.includes(live.name))
    throw forbidden(
      { info: served.info, name: live.name },
      `this ${served.info.singular} may not be deleted`,
    );
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
    answers: options.answers,
    warn: (text) => options.warn?.(text),
  });
  const finalizers = nextFinalizers(served, object.metadata, options);
  const grace = deletion.graceSeconds?.(object, options.gracePeriodSeconds) ?? 0;
  const held = finalizers.length > 0 || grace > 0 || deletion.isHeld?.(object);
  const marked = mark(world, served, { object, finalizers, grace });
  if (!held) {
    const last = deletion.endsMarked ? marked : object;
    return { object: options.dryRun ? last : world.store.remove(live, last).object, gone: true };
  }
  asWritten(served, marked);
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
  const { dependents, finalizer: own } = served.rules.deletion ?? {};
  if (dependents === "none") return finalizers;
  if (own !== undefined && deletionTimestamp === undefined) return [...new Set([...finalizers, own])];
  const byDefault = dependents === "orphaned" && deletionTimestamp === undefined ? "Orphan" : undefined;
  const propagation = options.propagation ?? byDefault;
  if (propagation === undefined) return finalizers;
  const others = finalizers.filter(
    (finalizer) => finalizer !== "orphan" && finalizer !== "foregroundDeletion",
  );
  if (propagation === "Orphan") return [...others, "orphan"];
  if (propagation === "Foreground") return [...others, "foregroundDeletion"];
  return others;
}

interface Mark {
  object: KubeObject;
  finalizers: readonly string[];
  grace: number;
}

function mark({ clock }: World, { rules }: Served, { object, finalizers, grace }: Mark): KubeObject {
  const { marksAlone, phase } = rules.deletion ?? {};
  const { finalizers: _finalizers, ...metadata } = object.metadata;
  const shorter = grace < (metadata.deletionGracePeriodSeconds ?? Number.POSITIVE_INFINITY);
  const deletionTimestamp =
    metadata.deletionTimestamp !== undefined && !shorter
      ? metadata.deletionTimestamp
      : timestamp(clock, grace * 1_000);
  const status = isRecord(object.status) ? object.status : {};
  const counts = !marksAlone && metadata.deletionTimestamp === undefined && metadata.generation;
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(counts && { generation: counts + 1 }),
      deletionTimestamp,
      ...(!marksAlone && { deletionGracePeriodSeconds: grace }),
      ...(finalizers.length > 0 && { finalizers: [...finalizers] }),
    },
    ...(phase && { status: { ...status, phase } }),
  };
}

function isSameMark(before: ObjectMeta, after: ObjectMeta): boolean {
  return (
    before.deletionTimestamp !== undefined &&
    before.deletionGracePeriodSeconds === after.deletionGracePeriodSeconds &&
    (before.finalizers ?? []).join() === (after.finalizers ?? []).join()
  );
}
