import { specOf } from "../../registry/kind-rules.ts";
import { goValue } from "../../schema/go-value.ts";
import { listAt, objectAt, valueAt } from "../../schema/json.ts";
import { count } from "../../schema/tables/cells.ts";
import { validateConditionList } from "../../schema/validation/conditions.ts";
import { atMostWhole, countOrPercent, pathSegmentName } from "../../schema/validation/names.ts";
import { counts } from "../../schema/validation/replica-counts.ts";
import type { Report } from "../../schema/validation/report.ts";
import { validateSelector } from "../../schema/validation/selector.ts";
import type { KubeObject } from "../../types.ts";
import { disruptionBudgets } from "../../workloads/policy/disruption-budgets.ts";
import type { Kind } from "../kind.ts";

const evictions = ["AlwaysAllow", "IfHealthyBudget"];

export const podDisruptionBudget: Kind = {
  group: "policy",
  resource: "poddisruptionbudgets",
  nameSyntax: pathSegmentName,
  metadataPasses: { update: 1, whole: 2 },
  isGenerallyValidated: true,
  generation: specOf,
  versionedUpdates: true,
  newStatus: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  validate: validateDisruptionBudget,
  validateStatus: validateBudgetStatus,
  cells: {
    "Min Available": (object) => `${valueAt(object, "spec", "minAvailable") ?? "N/A"}`,
    "Max Unavailable": (object) => `${valueAt(object, "spec", "maxUnavailable") ?? "N/A"}`,
    "Allowed Disruptions": count("status", "disruptionsAllowed"),
  },
  simulation: { make: disruptionBudgets },
};

/** pkg/apis/policy/validation ValidatePodDisruptionBudgetSpec */
function validateDisruptionBudget(report: Report, object: KubeObject): void {
  const spec = objectAt(object, "spec");
  report.settle("spec");
  const both = ["minAvailable", "maxUnavailable"].map((name) => valueAt(spec, name));
  if (both.every((value) => value !== undefined))
    report.invalid(
      "spec",
      goValue("policy.PodDisruptionBudgetSpec", spec),
      "minAvailable and maxUnavailable cannot be both set",
    );
  for (const [index, name] of ["minAvailable", "maxUnavailable"].entries()) {
    const value = both[index];
    if (value === undefined) continue;
    for (const problem of [...countOrPercent(value), ...atMostWhole(value)])
      report.invalid(`spec.${name}`, value, problem);
  }
  validateSelector(report, objectAt(spec, "selector"), "spec.selector");
  const eviction = spec?.unhealthyPodEvictionPolicy;
  report.oneOf("spec.unhealthyPodEvictionPolicy", eviction, evictions);
}

function validateBudgetStatus(report: Report, object: KubeObject): void {
  validateConditionList(report, listAt(object, "status", "conditions"));
  counts({ notNegative: ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"] })(
    report,
    object,
    undefined,
  );
}
