import { fieldsAt } from "../../registry/selectable-fields.ts";
import { type JsonObject, listAt, objectAt, textAt } from "../../schema/json.ts";
import { text } from "../../schema/tables/cells.ts";
import { validateFinalizer } from "../../schema/validation/metadata.ts";
import { undottedLabelName } from "../../schema/validation/names.ts";
import type { Report } from "../../schema/validation/report.ts";
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
  cells: { Status: text("status", "phase") },
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

function defaultNamespace(fields: JsonObject): void {
  const metadata = objectAt(fields, "metadata");
  const name = textAt(metadata, "name");
  if (name)
    fields.metadata = {
      ...metadata,
      labels: { ...objectAt(metadata, "labels"), "kubernetes.io/metadata.name": name },
    };
}

function prepareNamespace(object: KubeObject, previous: KubeObject | undefined): KubeObject {
  const spec = objectAt(object, "spec");
  if (previous) return { ...object, spec: { ...spec, ...finalizersOf(previous) } };
  const finalizers = listAt(spec, "finalizers");
  const all = finalizers.includes("kubernetes") ? finalizers : [...finalizers, "kubernetes"];
  return { ...object, spec: { ...spec, finalizers: all } };
}

/** They change only through the finalize endpoint. */
function finalizersOf(previous: KubeObject): JsonObject {
  const finalizers = objectAt(previous, "spec")?.finalizers;
  return finalizers === undefined ? {} : { finalizers };
}

function validateNamespace(report: Report, object: KubeObject): void {
  for (const finalizer of listAt(object, "spec", "finalizers"))
    validateFinalizer(report, `${finalizer}`, { field: "spec.finalizers", standard: "spec.finalizers" });
}
