import type { TerminalGenerator } from "@capstan/model";
import type { ClusterFacts, DecisionAnswer, DecisionQuestion } from "./facts.ts";
import { GenerationError } from "./generation-error.ts";
import { type Parameters, printParameter } from "./parameters.ts";

type Decision = NonNullable<TerminalGenerator["clusterDecisionResource"]>;

/** What has to be known for a generator of a cluster decision: one object, or those of a selector. */
export function decisionQuestion({ configMapRef, name = "", labelSelector }: Decision): DecisionQuestion {
  const { matchLabels, matchExpressions } = labelSelector ?? {};
  const selects = matchLabels !== undefined || matchExpressions !== undefined;
  if (selects === (name !== ""))
    throw new GenerationError("clusterDecisionResource: give it either a name or a labelSelector");
  return { configMap: configMapRef, ...(selects ? { labelSelector } : { name }) };
}

interface Form {
  readonly clusters: readonly ClusterFacts[];
  readonly isGo: boolean;
}

/** One set for each decision that names a cluster which is known (applicationset/generators DuckTypeGenerator). */
export function decisionParameters(
  { values = {} }: Decision,
  { decisions = [], matchKey = "" }: DecisionAnswer,
  { clusters, isGo }: Form,
): Parameters[] {
  if (matchKey === "") return [];
  const byName = new Map(clusters.map((one) => [one.name, one]));
  return decisions.flatMap((decision) => {
    const match = decision[matchKey];
    const cluster = match === undefined || match === null ? undefined : byName.get(printField(match));
    if (!cluster) return [];
    const { name, server } = cluster;
    const fields = Object.entries(decision).map(([field, value]) => [field, printField(value)]);
    return [{ name, server, ...Object.fromEntries(fields), ...asWritten(values, isGo) }];
  });
}

/** Whole numbers of an object of a cluster are integers in Go, which other JSON's are not. */
function printField(value: unknown): string {
  return Number.isInteger(value) ? String(value) : printParameter(value);
}

/** Of this generator alone they are no templates (collectParams). */
function asWritten(values: Readonly<Record<string, string>>, isGo: boolean): Parameters {
  if (isGo) return Object.keys(values).length === 0 ? {} : { values };
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`values.${name}`, value]));
}
