import type { ComparedResource } from "@capstan/engine";
import type { ApplicationCondition } from "@capstan/model";
import type { ObjectHealth } from "./object-health.ts";

/** One condition for all objects whose script failed (controller/health.go setApplicationHealth, state.go). */
export function scriptConditions(
  health: Pick<ObjectHealth, "problemOf">,
  resources: readonly ComparedResource[],
): Pick<ApplicationCondition, "type" | "message">[] {
  const failed = resources.flatMap(({ key, live }) => {
    const problem = live && health.problemOf(live);
    return problem === undefined ? [] : [{ key, problem }];
  });
  const [first] = failed;
  if (!first) return [];
  const { kind, name, namespace } = first.key;
  const more = failed.length > 1 ? ` (and ${failed.length - 1} more objects)` : "";
  const message = `error setting app health: failed to get resource health for "${kind}" with name "${name}" in namespace "${namespace}": ${first.problem}${more}`;
  return [{ type: "ComparisonError", message }];
}
