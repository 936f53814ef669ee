import type { KubeObject } from "../../types.ts";
import { goValue } from "../go-value.ts";
import { objectAt, valueAt } from "../json.ts";
import { atMostWhole, countOrPercent } from "./names.ts";
import type { Report } from "./report.ts";
import { validateSelector } from "./selector.ts";

const evictions = ["AlwaysAllow", "IfHealthyBudget"];

/** pkg/apis/policy/validation ValidatePodDisruptionBudgetSpec */
export function validateDisruptionBudget(report: Report, object: KubeObject): void {
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
  if (eviction !== undefined && !evictions.includes(`${eviction}`))
    report.unsupported("spec.unhealthyPodEvictionPolicy", eviction, evictions);
}
