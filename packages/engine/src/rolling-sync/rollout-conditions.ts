import type { ApplicationSet, ApplicationSetCondition } from "@capstan/model";
import type { ApplicationSteps } from "./application-steps.ts";
import { stepsOf } from "./rolling-strategy.ts";
import type { RolloutState } from "./rollout-state.ts";

type Said = Omit<ApplicationSetCondition, "lastTransitionTime">;

/** Names that a message shows. */
const mostNames = 20;

/** getProgressingCondition: the first step that has an Application which is not there yet. */
export function progressingCondition(set: ApplicationSet, states: readonly RolloutState[]): Said {
  const open = new Set(states.filter(({ status }) => status !== "Healthy").map(({ step }) => step));
  const type = "RolloutProgressing";
  const step = stepsOf(set).findIndex((_, index) => open.has(String(index + 1)));
  return step < 0
    ? {
        type,
        status: "False",
        reason: "ApplicationSetRolloutComplete",
        message: "ApplicationSet Rollout has completed",
      }
    : {
        type,
        status: "True",
        reason: "ApplicationSetModified",
        message: `ApplicationSet is performing rollout of step ${step + 1}`,
      };
}

export interface RolloutProblems extends ApplicationSteps {
  readonly maxUpdates: readonly { readonly step: number; readonly maxUpdate: string }[];
  /** Applications that no step selects. */
  readonly unmatched: readonly string[];
  /** The set's policy lets it change no Application. */
  readonly mayNotUpdate: boolean;
}

/** getInvalidRolloutConfig; what Argo CD does not tell (what is never synced) comes last. */
export function configCondition(problems: RolloutProblems): Said {
  const type = "InvalidRolloutConfig";
  const message = problemOf(problems);
  return message === undefined
    ? {
        type,
        status: "False",
        reason: "ApplicationSetValidRolloutConfig",
        message: "Rolling Sync Configured correctly",
      }
    : { type, status: "True", reason: "ApplicationSetInvalidRolloutConfig", message };
}

function problemOf(problems: RolloutProblems): string | undefined {
  const { operators, selectedTwice, maxUpdates, members, unmatched, mayNotUpdate } = problems;
  if (operators.length > 0) {
    const has = operators.length > 1 ? "have" : "has";
    const named = operators.map(({ operator }) => operator).join(", ");
    return `${numbered(operators)} ${has} invalid matchExpression operators: ${named}. Supported Operators are 'In' and 'NotIn'`;
  }
  if (selectedTwice.size > 0) return twiceMessage(selectedTwice);
  if (maxUpdates.length > 0) {
    const values = maxUpdates.map(({ maxUpdate }) => maxUpdate).join(", ");
    return maxUpdates.length > 1
      ? `${numbered(maxUpdates)} have invalid maxUpdate values: [${values}]`
      : `${numbered(maxUpdates)} has an invalid maxUpdate value: ${values}`;
  }
  if (mayNotUpdate)
    return "its syncPolicy.applicationsSync lets it change no Application: the set starts no sync";
  const empty = members.flatMap((names, index) => (names.length === 0 ? [index + 1] : []));
  if (unmatched.length > 0)
    return `Applications ${quoted(unmatched)} match no step: the set never syncs them`;
  return empty.length > 0
    ? `Steps [${empty.join(" ")}] have no applications matching their criteria`
    : undefined;
}

function numbered(found: readonly { readonly step: number }[]): string {
  return `Step${found.length > 1 ? "s" : ""} ${found.map(({ step }) => step + 1).join(", ")}`;
}

function twiceMessage(selectedTwice: ReadonlyMap<string, readonly number[]>): string {
  const sorted = [...selectedTwice].sort(([one], [other]) => (one < other ? -1 : 1)).slice(0, mostNames);
  const steps = sorted.map(([, indices]) => indices.map((index) => index + 1).join("-"));
  const [only] = sorted;
  return sorted.length === 1 && only
    ? `Application '${only[0]}' is selected by multiple steps: (${steps.join(", ")})`
    : `Applications ${quoted(sorted.map(([name]) => name))} are selected by multiple steps: [(${steps.join("), (")})]`;
}

function quoted(names: readonly string[]): string {
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : "";
  return `${names
    .slice(0, mostNames)
    .map((name) => `'${name}'`)
    .join(", ")}${more}`;
}
