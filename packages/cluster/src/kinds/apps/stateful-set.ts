import { specOf } from "../../registry/kind-rules.ts";
import { type JsonObject, objectAt } from "../../schema/json.ts";
import { containerCells, fraction } from "../../schema/tables/cells.ts";
import { labelName } from "../../schema/validation/names.ts";
import type { KubeObject } from "../../types.ts";
import { statefulSets } from "../../workloads/apps/stateful-set.ts";
import type { Kind } from "../kind.ts";
import { statefulSetStatus, validateStatefulSet } from "./stateful-set-validation.ts";

export const statefulSet: Kind = {
  group: "apps",
  resource: "statefulsets",
  nameSyntax: labelName,
  metadataPasses: { update: 2, whole: 3 },
  generation: specOf,
  newStatus: { replicas: 0, availableReplicas: 0 },
  defaults: {
    "io.k8s.api.apps.v1.StatefulSetUpdateStrategy": rollingByDefault,
  },
  prepare: prepareStatefulSet,
  validate: validateStatefulSet,
  validateStatus: statefulSetStatus,
  podTemplate: ["spec", "template"],
  cells: {
    Ready: fraction(["status", "readyReplicas"], ["spec", "replicas"]),
    ...containerCells("spec", "template"),
  },
  simulation: { make: statefulSets },
};

function rollingByDefault(fields: JsonObject): void {
  if (fields.type === undefined) fields.rollingUpdate ??= {};
}

/** How many Pods may be missing during an update is behind a gate that is off. */
function prepareStatefulSet(object: KubeObject): KubeObject {
  const strategy = objectAt(object, "spec", "updateStrategy");
  const rolling = objectAt(strategy, "rollingUpdate");
  if (rolling?.maxUnavailable === undefined) return object;
  const { maxUnavailable: _dropped, ...rollingUpdate } = rolling;
  const updateStrategy = { ...strategy, rollingUpdate };
  return { ...object, spec: { ...objectAt(object, "spec"), updateStrategy } };
}
