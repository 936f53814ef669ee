import type { DiffRules } from "@capstan/engine";
import { equalJson } from "@capstan/formats";
import type { GeneralSettings } from "@capstan/kube";
import type { ApplicationSpec } from "@capstan/model";
import type { ComparisonMemory } from "./comparison-memory.ts";

/** The same object for as long as the same rules hold, so that verdicts can be kept. */
export function diffRules(
  memory: ComparisonMemory,
  general: GeneralSettings,
  { ignoreDifferences: ignored }: ApplicationSpec,
): DiffRules {
  const known = memory.rules;
  if (known?.general === general && equalJson(known.ignored, ignored)) return known.rules;
  const rules: DiffRules = {
    ignoreDifferences: [...(ignored ?? []), ...general.ignoreDifferences],
    ignoreStatus: general.ignoreResourceStatusField,
    ignoreAggregatedRoles: general.ignoreAggregatedRoles,
    knownTypeFields: general.knownTypeFields,
  };
  memory.rules = { general, ignored, rules };
  return rules;
}
