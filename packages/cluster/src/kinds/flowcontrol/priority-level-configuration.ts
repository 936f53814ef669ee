import { specOf } from "../../registry/kind-rules.ts";
import { type JsonObject, numberAt, objectAt, textAt } from "../../schema/json.ts";
import { text } from "../../schema/tables/cells.ts";
import { validateConditionTypes } from "../../schema/validation/conditions.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { KubeObject } from "../../types.ts";
import type { Kind } from "../kind.ts";

export const priorityLevelConfiguration: Kind = {
  group: "flowcontrol.apiserver.k8s.io",
  resource: "prioritylevelconfigurations",
  metadataPasses: { update: 1, whole: 3 },
  generation: specOf,
  keptByStatus: "metadata",
  defaults: {
    "io.k8s.api.flowcontrol.v1.LimitedPriorityLevelConfiguration": defaultLimitedLevel,
  },
  validate: validatePriorityLevel,
  validateStatus: validateConditionTypes,
  cells: {
    Type: text("spec", "type"),
    NominalConcurrencyShares: (object) => limited(object, "nominalConcurrencyShares"),
    Queues: (object) => limited(object, "limitResponse", "queuing", "queues"),
    HandSize: (object) => limited(object, "limitResponse", "queuing", "handSize"),
    QueueLengthLimit: (object) => limited(object, "limitResponse", "queuing", "queueLengthLimit"),
  },
};

function defaultLimitedLevel(fields: JsonObject): void {
  fields.lendablePercent ??= 0;
}

function limited(object: KubeObject, ...path: readonly string[]): unknown {
  return numberAt(object, "spec", "limited", ...path) ?? "<none>";
}

function validatePriorityLevel(report: Report, object: KubeObject): void {
  const spec = objectAt(object, "spec");
  const type = textAt(spec, "type");
  const limited = objectAt(spec, "limited");
  if (!type) report.required("spec.type");
  else if (type !== "Limited" && type !== "Exempt")
    report.unsupported("spec.type", type, ["Exempt", "Limited"]);
  if (type === "Limited" && !limited)
    report.required("spec.limited", "must not be empty when type is Limited");
  const shares = numberAt(limited, "nominalConcurrencyShares") ?? 0;
  if (shares < 0)
    report.invalid("spec.limited.nominalConcurrencyShares", shares, "must be a non-negative integer");
  const response = textAt(objectAt(limited, "limitResponse"), "type");
  if (limited && !response) report.required("spec.limited.limitResponse.type");
  else if (response && response !== "Queue" && response !== "Reject")
    report.unsupported("spec.limited.limitResponse.type", response, ["Queue", "Reject"]);
}
