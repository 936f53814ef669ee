import { specOf } from "../../registry/kind-rules.ts";
import { type JsonObject, listAt, numberAt, objectAt, textAt } from "../../schema/json.ts";
import { conditionOf, count, text, textOr } from "../../schema/tables/cells.ts";
import { validateConditionTypes } from "../../schema/validation/conditions.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { KubeObject } from "../../types.ts";
import { flowSchemas } from "../../workloads/policy/flow-schemas.ts";
import type { Kind } from "../kind.ts";

export const flowSchema: Kind = {
  group: "flowcontrol.apiserver.k8s.io",
  resource: "flowschemas",
  notRequired: ["FlowSchemaSpec.priorityLevelConfiguration"],
  metadataPasses: { update: 1, whole: 3 },
  generation: specOf,
  keptByStatus: "metadata",
  defaults: {
    "io.k8s.api.flowcontrol.v1.FlowSchemaSpec": defaultFlowSchema,
  },
  validate: validateFlowSchema,
  validateStatus: validateConditionTypes,
  cells: {
    PriorityLevel: text("spec", "priorityLevelConfiguration", "name"),
    MatchingPrecedence: count("spec", "matchingPrecedence"),
    DistinguisherMethod: textOr("<none>", "spec", "distinguisherMethod", "type"),
    MissingPL: (object) => textAt(conditionOf(object, "Dangling"), "status") || "?",
  },
  simulation: { make: flowSchemas },
};

function defaultFlowSchema(fields: JsonObject): void {
  if (!fields.matchingPrecedence) fields.matchingPrecedence = 1_000;
}

function validateFlowSchema(report: Report, object: KubeObject): void {
  const spec = objectAt(object, "spec");
  const precedence = numberAt(spec, "matchingPrecedence") ?? 0;
  if (precedence > 10_000)
    report.invalid("spec.matchingPrecedence", precedence, "must not be greater than 10000");
  const method = objectAt(spec, "distinguisherMethod");
  const type = textAt(method, "type");
  if (method) report.settle("spec.distinguisherMethod");
  if (method && type !== "ByNamespace" && type !== "ByUser")
    report.unsupported("spec.distinguisherMethod.type", { Type: type }, ["ByNamespace", "ByUser"]);
  if (!textAt(objectAt(spec, "priorityLevelConfiguration"), "name"))
    report.required("spec.priorityLevelConfiguration.name", "must reference a priority level");
  for (const [index, rule] of listAt(spec, "rules").entries()) {
    const field = `spec.rules[${index}]`;
    if (listAt(rule, "subjects").length === 0)
      report.required(`${field}.subjects`, "subjects must contain at least one value");
    if (listAt(rule, "resourceRules").length + listAt(rule, "nonResourceRules").length === 0)
      report.required(field, "at least one of resourceRules and nonResourceRules has to be non-empty");
  }
}
