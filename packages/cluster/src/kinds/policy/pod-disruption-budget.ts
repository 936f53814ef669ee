import { specOf } from "../../registry/kind-rules.ts";
import { disruptionBudgetCells } from "../../schema/tables/cluster.ts";
import { validateDisruptionBudget } from "../../schema/validation/disruption-budget.ts";
import { pathSegmentName } from "../../schema/validation/names.ts";
import { validateBudgetStatus } from "../../schema/validation/status.ts";
import { disruptionBudgets } from "../../workloads/policy/disruption-budgets.ts";
import type { Kind } from "../kind.ts";

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
  cells: disruptionBudgetCells,
  simulation: { make: disruptionBudgets },
};
