import { forbidden } from "../objects/failures.ts";
import { updateObject } from "../objects/update-object.ts";
import type { Review, World } from "../objects/world.ts";
import { toStored } from "../registry/convert.ts";
import { objectAt } from "../schema/json.ts";
import type { Entry } from "../store/entry.ts";
import type { Store } from "../store/store.ts";
import type { KubeObject } from "../types.ts";
import { type Amounts, addAll, minus, plus, readAmounts, writeAmounts, zero } from "./amounts.ts";
import { isInScope, unspecified, usageOf } from "./quota-usage.ts";

export const quotaType = "/resourcequotas";

/** plugin/pkg/admission/resourcequota: what a namespace may hold is counted as it is written. */
export function chargeQuotas(world: World, review: Review): void {
  const { store, registry } = world;
  const { served, operation, namespace, name, object, previous, subresource } = review;
  if (store.count(quotaType) === 0 || namespace === "" || object === undefined) return;
  if (subresource !== "" || operation === "DELETE") return;
  const charges: Charge[] = [];
  for (const quota of store.list(quotaType, namespace)) {
    if (quota.object.metadata.deletionTimestamp !== undefined) continue;
    const charge = chargeOf(
      { store, review, quota },
      toStored(served, object),
      previous && toStored(served, previous),
    );
    if (charge !== undefined) charges.push(charge);
  }
  // An object that is there already is refused later, and costs nothing.
  const isTaken = operation === "CREATE" && store.get(served.type, namespace, name) !== undefined;
  const quotas = registry.byType(quotaType);
  if (review.dryRun || isTaken || quotas === undefined) return;
  const options = { dryRun: false, manager: "kube-apiserver", subresource: "status" };
  for (const { quota, status } of charges)
    updateObject(world, { served: quotas, live: quota, object: { ...quota.object, status } }, options);
}

interface Charge {
  quota: Entry;
  status: Record<string, unknown>;
}

interface Context {
  store: Pick<Store, "list" | "types">;
  review: Review;
  quota: Entry;
}

function chargeOf(
  { store, review, quota }: Context,
  object: KubeObject,
  previous: KubeObject | undefined,
): Charge | undefined {
  const { type } = review.served;
  if (!isInScope(quota.object, type, object)) return undefined;
  const usage = usageOf(type, object);
  const before = previous === undefined ? new Map() : usageOf(type, previous);
  const status = objectAt(quota.object, "status", "hard")
    ? quota.object.status
    : countQuota(store, quota.object);
  const hard = readAmounts(objectAt(status, "hard"));
  const used = readAmounts(objectAt(status, "used"));
  const { info } = review.served;
  if (type === "/pods" && previous === undefined) {
    const missing = unspecified(object, hard.keys());
    if (missing !== "")
      throw forbidden({ info, name: review.name }, `failed quota: ${quota.name}: must specify ${missing}`);
  }
  const delta: Amounts = new Map();
  for (const [resource, quantity] of usage) {
    const more = minus(quantity, before.get(resource) ?? zero);
    if (hard.has(resource) && more.nanos !== 0n) delta.set(resource, more);
  }
  requireRoom(review, quota.name, { hard, used, delta });
  if (delta.size === 0) return undefined;
  const next = new Map(used);
  for (const [resource, more] of delta) next.set(resource, plus(used.get(resource) ?? zero, more));
  return {
    quota,
    status: { ...objectAt(quota.object, "status"), hard: writeAmounts(hard), used: writeAmounts(next) },
  };
}

interface Room {
  hard: Amounts;
  used: Amounts;
  delta: Amounts;
}

function requireRoom({ served, name }: Review, quota: string, { hard, used, delta }: Room): void {
  const over = [...delta.keys()].filter((resource) => {
    const more = delta.get(resource) ?? zero;
    const total = plus(used.get(resource) ?? zero, more);
    return more.nanos > 0n && total.nanos > (hard.get(resource) ?? zero).nanos;
  });
  if (over.length === 0) return;
  const show = (amounts: Amounts): string =>
    Object.entries(writeAmounts(new Map(over.map((resource) => [resource, amounts.get(resource) ?? zero]))))
      .map(([resource, quantity]) => `${resource}=${quantity}`)
      .join(",");
  throw forbidden(
    { info: served.info, name },
    `exceeded quota: ${quota}, requested: ${show(delta)}, used: ${show(used)}, limited: ${show(hard)}`,
  );
}

/** The status of a quota, counted anew from what is stored. */
export function countQuota(
  store: Pick<Store, "list" | "types">,
  quota: KubeObject,
): { hard: unknown; used: unknown } {
  const { namespace = "" } = quota.metadata;
  const hard = readAmounts(objectAt(quota, "spec", "hard"));
  const used: Amounts = new Map([...hard.keys()].map((resource) => [resource, zero]));
  for (const type of store.types())
    if (mayUse(type, hard))
      for (const { object } of store.list(type, namespace))
        if (isInScope(quota, type, object))
          addAll(used, new Map([...usageOf(type, object)].filter(([resource]) => hard.has(resource))));
  return { hard: writeAmounts(hard), used: writeAmounts(used) };
}

const counted =
  /^\/(?:pods|services|replicationcontrollers|resourcequotas|secrets|configmaps|persistentvolumeclaims)$/;

/** Without reading the objects of kinds that the quota says nothing about. */
function mayUse(type: string, hard: Amounts): boolean {
  const [group = "", resource = ""] = type.split("/");
  return counted.test(type) || hard.has(`count/${resource}${group && `.${group}`}`);
}
