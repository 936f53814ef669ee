import { countQuota, quotaType } from "../admission/quotas.ts";
import { updateObject } from "../objects/update-object.ts";
import type { World } from "../objects/world.ts";
import { objectAt, sameJson } from "../schema/json.ts";
import type { LifecycleOptions } from "./garbage-collector.ts";
import { openWorklist } from "./worklist.ts";

const manager = "kube-controller-manager";

/** ResourceQuotaSyncPeriod: a status that someone else wrote stands until then. */
const resyncMs = 300_000;

/** Counts anew what goes, as pkg/controller/resourcequota does; what comes is counted by admission. Keys are "namespace/name". */
export function startQuotas({ world, signal, log }: LifecycleOptions): void {
  const { store, clock } = world;
  const worklist = openWorklist({
    work: (key) => recount(world, key),
    failed: (key, error) =>
      log({ level: "warn", message: `ResourceQuota ${key} could not be counted`, error: String(error) }),
    clock,
    signal,
  });
  const addAll = (namespace?: string): void => {
    for (const quota of store.list(quotaType, namespace)) worklist.add(`${quota.namespace}/${quota.name}`);
  };
  addAll();
  const end = store.subscribe("*", ({ kind, entry, previous }) => {
    if (store.count(quotaType) === 0) return;
    if (entry.type === quotaType && kind !== "DELETED") {
      const isNew = previous === undefined || !sameJson(entry.object.spec, previous.object.spec);
      if (isNew) addAll(entry.namespace);
    } else if (entry.namespace !== "" && (kind === "DELETED" || hasEnded(entry))) addAll(entry.namespace);
  });
  signal.addEventListener("abort", end, { once: true });
  const lookAgain = (): void => {
    void clock.sleep(resyncMs, signal).then(() => {
      addAll();
      lookAgain();
    }, end);
  };
  lookAgain();
}

function hasEnded({ type, text }: { type: string; text: string }): boolean {
  return type === "/pods" && /"phase":"(?:Succeeded|Failed)"/.test(text);
}

function recount(world: World, key: string): void {
  const [namespace = "", name = ""] = key.split("/");
  const live = world.store.get(quotaType, namespace, name);
  const served = world.registry.byType(quotaType);
  if (live === undefined || served === undefined) return;
  const counted = countQuota(world.store, live.object);
  const status = objectAt(live.object, "status") ?? {};
  if (sameJson(status.hard, counted.hard) && sameJson(status.used, counted.used)) return;
  const object = { ...live.object, status: { ...status, ...counted } };
  updateObject(world, { served, live, object }, { dryRun: false, manager, subresource: "status" });
}
