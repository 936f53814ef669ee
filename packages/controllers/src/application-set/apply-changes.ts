import type { ApplicationChange } from "@capstan/engine";
import { isAlreadyExists, isConflict, isNotFound } from "@capstan/kube";
import { argoApiVersion, finalizers, keyOf, messageOf } from "@capstan/model";
import type { SetNeeds, StoredSet } from "./set-needs.ts";

export interface ApplyOutcome {
  /** The first that was refused; what comes after it is not deleted. */
  readonly failure: { readonly reason: string; readonly message: string } | undefined;
  /** Something else was there than was known: it is to be looked at again. */
  readonly isOutdated: boolean;
}

const reasons = {
  create: "CreateApplicationError",
  update: "UpdateApplicationError",
  delete: "DeleteApplicationError",
} as const;

/** Writes at a time. */
const atOnce = 8;

/** Creations and updates, then deletions unless one of those failed. Each that fails leaves the others be. */
export async function applyChanges(
  needs: SetNeeds,
  { set, changes }: { set: StoredSet; changes: readonly ApplicationChange[] },
  signal: AbortSignal,
): Promise<ApplyOutcome> {
  const failures: { reason: string; message: string }[] = [];
  let isOutdated = false;
  const apply = async (change: ApplicationChange): Promise<void> => {
    try {
      await applyChange(needs, { set, change }, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (isConflict(error) || isAlreadyExists(error) || isNotFound(error)) isOutdated = true;
      else
        failures.push({
          reason: reasons[change.kind],
          message: `${change.kind} Application ${change.name}: ${messageOf(error)}`,
        });
    }
  };
  const writes = changes.filter(({ kind }) => kind !== "delete");
  for (let at = 0; at < writes.length; at += atOnce)
    await Promise.all(writes.slice(at, at + atOnce).map(apply));
  if (failures.length === 0 && !isOutdated)
    for (const change of changes) if (change.kind === "delete") await apply(change);
  return { failure: failures[0], isOutdated };
}

async function applyChange(
  needs: SetNeeds,
  { set, change }: { set: StoredSet; change: ApplicationChange },
  signal: AbortSignal,
): Promise<void> {
  const { client, live, events, log } = needs;
  const { name, kind } = change;
  const ref = { apiVersion: argoApiVersion, kind: "Application", namespace: set.metadata.namespace, name };
  const told = { applicationSet: set.metadata.name, application: name };
  if (kind === "create") {
    live.observe(await client.create(change.application, { signal }));
  } else if (kind === "update") {
    live.observe(await client.patch(ref, { type: "merge", body: bound(change) }, { signal }));
  } else {
    if (change.abandons) await abandon(needs, change, signal);
    const { uid } = change.before.metadata;
    const left = await client.delete(ref, { signal, ...(uid ? { uid } : {}) });
    if (left) live.observe(left);
    else live.forget(keyOf(change.before), uid ?? "");
  }
  const done = kind === "delete" ? "Deleted" : `${kind}d`;
  events.record(set, { type: "Normal", reason: done, message: `${done} Application "${name}"` });
  log.info(told, `${done.toLowerCase()} an Application of a set`);
}

/** For the version that was looked at, and no other. */
function bound({ patch, before }: Extract<ApplicationChange, { kind: "update" }>) {
  const { resourceVersion } = before.metadata;
  const metadata = typeof patch.metadata === "object" ? patch.metadata : {};
  return { ...patch, metadata: { ...metadata, ...(resourceVersion ? { resourceVersion } : {}) } };
}

/** Its cluster is known no more: waiting for its objects to go would last for ever (removeFinalizerOnInvalidDestination). */
async function abandon(
  { client, live }: SetNeeds,
  { name, before }: Extract<ApplicationChange, { kind: "delete" }>,
  signal: AbortSignal,
): Promise<void> {
  const { namespace, resourceVersion } = before.metadata;
  const left = (before.metadata.finalizers ?? []).filter((one) => one !== finalizers.resources);
  const metadata = { finalizers: left, ...(resourceVersion ? { resourceVersion } : {}) };
  const ref = { apiVersion: argoApiVersion, kind: "Application", namespace, name };
  live.observe(await client.patch(ref, { type: "merge", body: { metadata } }, { signal }));
}
