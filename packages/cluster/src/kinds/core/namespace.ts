import { fieldsAt } from "../../registry/selectable-fields.ts";
import { defaultNamespace } from "../../schema/defaulting/cluster.ts";
import { listAt } from "../../schema/json.ts";
import { prepareNamespace } from "../../schema/prepare.ts";
import { namespaceCells } from "../../schema/tables/cluster.ts";
import { validateNamespace } from "../../schema/validation/kinds.ts";
import { undottedLabelName } from "../../schema/validation/names.ts";
import type { KubeObject } from "../../types.ts";
import type { Kind } from "../kind.ts";

export const namespace: Kind = {
  group: "",
  resource: "namespaces",
  nameSyntax: undottedLabelName,
  newStatus: { phase: "Active" },
  defaults: {
    "io.k8s.api.core.v1.Namespace": defaultNamespace,
  },
  prepare: prepareNamespace,
  validate: validateNamespace,
  cells: namespaceCells,
  selectors: fieldsAt("status.phase"),
  deletion: {
    forbidden: ["default", "kube-system", "kube-public"],
    isHeld: hasFinalizers,
    marksAlone: true,
    phase: "Terminating",
  },
};

/** It has finalizers of its own in spec, emptied through /finalize. */
function hasFinalizers(namespace: KubeObject): boolean {
  return listAt(namespace, "spec", "finalizers").length > 0;
}
