import type { Application, ApplicationSet } from "@capstan/model";
import { type RolloutStep, stepsOf } from "./rolling-strategy.ts";

export interface ApplicationSteps {
  /** By step, the names of its Applications; one that two steps select is in both. */
  readonly members: readonly (readonly string[])[];
  /** The first step that selects an Application, from 0; none has those that match no step. */
  readonly stepOf: ReadonlyMap<string, number>;
  /** Why the steps are not what somebody meant; the gravest is told (validation_issues.go getConditionMessage). */
  readonly operators: readonly { readonly step: number; readonly operator: string }[];
  readonly selectedTwice: ReadonlyMap<string, readonly number[]>;
}

type Expression = NonNullable<RolloutStep["matchExpressions"]>[number];

/** Which step each Application is of, by the labels that it is generated with (buildAppDependencyList). */
export function assignSteps(set: ApplicationSet, applications: readonly Application[]): ApplicationSteps {
  const steps = stepsOf(set);
  const members = steps.map((): string[] => []);
  const stepOf = new Map<string, number>();
  const selectedTwice = new Map<string, number[]>();
  const operators: { step: number; operator: string }[] = [];
  const report = (step: number) => (operator: string) => {
    if (!operators.some((one) => one.step === step && one.operator === operator))
      operators.push({ step, operator });
  };
  for (const { metadata } of applications)
    for (const [index, { matchExpressions = [] }] of steps.entries()) {
      const { name, labels = {} } = metadata;
      if (!matchExpressions.every((one) => isMet(one, labels, report(index)))) continue;
      members[index]?.push(name);
      const first = stepOf.get(name);
      if (first === undefined) stepOf.set(name, index);
      else selectedTwice.set(name, [...(selectedTwice.get(name) ?? [first]), index]);
    }
  return { members, stepOf, operators, selectedTwice };
}

/** A label that is not there fails In alone, and is no reason to look at the operator. */
function isMet(
  { key, operator, values = [] }: Expression,
  labels: Readonly<Record<string, string>>,
  report: (operator: string) => void,
): boolean {
  const label = Object.hasOwn(labels, key) ? labels[key] : undefined;
  if (label === undefined) return operator !== "In";
  if (operator === "In") return values.includes(label);
  if (operator === "NotIn") return !values.includes(label);
  report(operator);
  return false;
}

/** As the status tells it: from 1, -1 where no step selects it. */
export function stepText({ stepOf }: Pick<ApplicationSteps, "stepOf">, name: string): string {
  const step = stepOf.get(name);
  return String(step === undefined ? -1 : step + 1);
}
