import type { Clock } from "@capstan/flow";
import { timestamp } from "../objects/world.ts";
import type { Entry } from "../store/entry.ts";
import { isRecord } from "../types.ts";

interface Verdict {
  type: string;
  status: "True" | "False";
  reason: string;
  message: string;
}

/** Why a namespace is still there, in the words of pkg/controller/namespace/deletion/status_condition_utils.go. */
export function namespaceConditions(
  left: readonly Entry[],
  previous: unknown,
  clock: Clock,
): Record<string, unknown>[] {
  const before = Array.isArray(previous) ? previous.filter(isRecord) : [];
  return verdicts(left).map((verdict) => {
    const same = before.find(({ type, status }) => type === verdict.type && status === verdict.status);
    const { type, status, reason, message } = verdict;
    return {
      type,
      status,
      lastTransitionTime: same?.lastTransitionTime ?? timestamp(clock),
      reason,
      message,
    };
  });
}

function verdicts(left: readonly Entry[]): Verdict[] {
  return [
    no("NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"),
    no(
      "NamespaceDeletionGroupVersionParsingFailure",
      "ParsedGroupVersions",
      "All legacy kube types successfully parsed",
    ),
    no(
      "NamespaceDeletionContentFailure",
      "ContentDeleted",
      "All content successfully deleted, may be waiting on finalization",
    ),
    remaining(left),
    finalizers(left),
  ];
}

function no(type: string, reason: string, message: string): Verdict {
  return { type, status: "False", reason, message };
}

function remaining(left: readonly Entry[]): Verdict {
  const counts = tally(left.map(({ type }) => type.split("/").reverse().join(".")));
  const texts = counts.map(([name, count]) => `${name} has ${count} resource instances`);
  return {
    type: "NamespaceContentRemaining",
    status: "True",
    reason: "SomeResourcesRemain",
    message: `Some resources are remaining: ${texts.join(", ")}`,
  };
}

function finalizers(left: readonly Entry[]): Verdict {
  const type = "NamespaceFinalizersRemaining";
  const counts = tally(left.flatMap(({ object }) => object.metadata.finalizers ?? []));
  if (counts.length === 0)
    return no(type, "ContentHasNoFinalizers", "All content-preserving finalizers finished");
  const texts = counts.map(([name, count]) => `${name} in ${count} resource instances`);
  return {
    type,
    status: "True",
    reason: "SomeFinalizersRemain",
    message: `Some content in the namespace has finalizers remaining: ${texts.join(", ")}`,
  };
}

function tally(names: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([left], [right]) => (left < right ? -1 : 1));
}
