import { policyType } from "../admission/policies.ts";
import { cel } from "../cel/loaded.ts";
import { updateObject } from "../objects/update-object.ts";
import type { World } from "../objects/world.ts";
import { numberAt, objectAt, textAt } from "../schema/json.ts";
import type { LifecycleOptions } from "./garbage-collector.ts";
import { openWorklist } from "./worklist.ts";

const manager = "validatingadmissionpolicy-status-controller";

/** Checks the types of each new state of a ValidatingAdmissionPolicy (pkg/controller/validatingadmissionpolicystatus). */
export function startPolicyTypes({ world, signal, log }: LifecycleOptions): void {
  const { store, clock } = world;
  const worklist = openWorklist({
    work: (name) => checkTypes(world, name),
    failed: (name, error) =>
      log({
        level: "warn",
        message: `types of ValidatingAdmissionPolicy ${name} could not be checked`,
        error: String(error),
      }),
    clock,
    signal,
  });
  for (const { name } of store.list(policyType)) worklist.add(name);
  const end = store.subscribe(policyType, ({ kind, entry }) => {
    if (kind !== "DELETED") worklist.add(entry.name);
  });
  signal.addEventListener("abort", end, { once: true });
}

function checkTypes(world: World, name: string): void {
  const { store, registry } = world;
  const live = store.get(policyType, "", name);
  const served = registry.byType(policyType);
  if (live === undefined || served === undefined) return;
  const { object } = live;
  const observedGeneration = object.metadata.generation ?? 0;
  if (observedGeneration <= (numberAt(objectAt(object, "status"), "observedGeneration") ?? 0)) return;
  const paramKind = objectAt(object, "spec", "paramKind");
  const objects = cel().subjectsOf(object, ({ group, version, resource }) =>
    registry.find(group, version, resource),
  );
  const params = registry.byKind(textAt(paramKind, "apiVersion"), textAt(paramKind, "kind"));
  const warnings = cel().typeWarnings(object, { objects, params });
  const typeChecking = warnings.length > 0 ? { expressionWarnings: warnings } : {};
  const next = { ...object, status: { ...objectAt(object, "status"), observedGeneration, typeChecking } };
  updateObject(world, { served, live, object: next }, { dryRun: false, manager, subresource: "status" });
}
