import { numberAt, sameJson } from "../../schema/json.ts";
import { count, flag, text } from "../../schema/tables/cells.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { KubeObject } from "../../types.ts";
import type { Kind } from "../kind.ts";

const systemClasses = new Set(["system-cluster-critical", "system-node-critical"]);

export const priorityClass: Kind = {
  group: "scheduling.k8s.io",
  resource: "priorityclasses",
  enums: { "PriorityClass.preemptionPolicy": ["PreemptLowerPriority", "Never"] },
  metadataPasses: { update: 2, whole: 3 },
  generation: () => undefined,
  validate: validatePriorityClass,
  cells: {
    Value: count("value"),
    "Global-Default": flag("globalDefault"),
    PreemptionPolicy: text("preemptionPolicy"),
  },
};

function validatePriorityClass(report: Report, object: KubeObject, previous?: KubeObject): void {
  const { name = "" } = object.metadata;
  if (previous && numberAt(previous, "value") !== numberAt(object, "value"))
    report.forbidden("value", "may not be changed in an update.");
  if (previous && !sameJson(previous.preemptionPolicy, object.preemptionPolicy))
    report.invalid("preemptionPolicy", object.preemptionPolicy ?? null, "field is immutable");
  if (systemClasses.has(name)) return;
  if (name.startsWith("system-"))
    report.forbidden(
      "metadata.name",
      `priority class names with 'system-' prefix are reserved for system use only. error: ${name} is not a known system priority class`,
    );
  if ((numberAt(object, "value") ?? 0) > 1_000_000_000)
    report.forbidden("value", "maximum allowed value of a user defined priority is 1000000000");
}
