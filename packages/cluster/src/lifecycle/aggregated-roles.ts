import { selectsLabels } from "@capstan/formats";
import { applyObject } from "../objects/apply-object.ts";
import type { World } from "../objects/world.ts";
import { isObject, listAt, objectAt, sameJson } from "../schema/json.ts";
import { rbacGroup } from "../security/rbac.ts";
import type { Entry } from "../store/entry.ts";
import type { LifecycleOptions } from "./garbage-collector.ts";
import { openWorklist } from "./worklist.ts";

const type = `${rbacGroup}/clusterroles`;

/** Fills the ClusterRoles that gather the rules of others (pkg/controller/clusterroleaggregation). Keys are names. */
export function startAggregatedRoles({ world, signal, log }: LifecycleOptions): void {
  const { store, clock } = world;
  const worklist = openWorklist({
    work: (name) => aggregate(world, name),
    failed: (name, error) =>
      log({ level: "warn", message: `ClusterRole ${name} could not be aggregated`, error: String(error) }),
    clock,
    signal,
  });
  const addAll = (): void => {
    for (const entry of store.list(type)) if (isAggregated(entry)) worklist.add(entry.name);
  };
  addAll();
  signal.addEventListener("abort", store.subscribe(type, addAll), { once: true });
}

/** Without parsing the many that are not. */
function isAggregated({ text }: Entry): boolean {
  return text.includes('"aggregationRule"');
}

function aggregate(world: World, name: string): void {
  const live = world.store.get(type, "", name);
  const served = world.registry.byType(type);
  if (live === undefined || served === undefined) return;
  const selectors = listAt(live.object, "aggregationRule", "clusterRoleSelectors");
  if (!isObject(objectAt(live.object, "aggregationRule"))) return;
  const rules: unknown[] = [];
  const others = world.store.list(type).sort((left, right) => (left.name < right.name ? -1 : 1));
  for (const other of others) {
    const { labels = {} } = other.object.metadata;
    if (
      other.name === name ||
      !selectors.filter(isObject).some((selector) => selectsLabels(selector, labels))
    )
      continue;
    for (const rule of listAt(other.object, "rules"))
      if (!rules.some((known) => sameJson(known, rule))) rules.push(rule);
  }
  if (sameJson(listAt(live.object, "rules"), rules)) return;
  const applied = { apiVersion: served.apiVersion, kind: "ClusterRole", metadata: { name }, rules };
  const options = { dryRun: false, manager: "clusterrole-aggregation-controller", subresource: "" };
  applyObject(world, { served, namespace: "", name, applied, force: true }, options);
}
