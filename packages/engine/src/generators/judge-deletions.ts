import { type ApplicationSet, annotationKeys, type RemovalBudget } from "@capstan/model";
import { type DigestOf, judgeRemoval, type RemovalVerdict } from "../consent/judge-removal.ts";
import type { ApplicationPlan } from "./plan-applications.ts";

export interface DeletionsInput {
  readonly set: ApplicationSet;
  readonly plan: Pick<ApplicationPlan, "leaving" | "wanted">;
  /** How many Applications the set controls now. */
  readonly owned: number;
  readonly budget: RemovalBudget;
  readonly nowMs: number;
  readonly digestOf: DigestOf;
}

/**
 * Decides over what a set deletes at once: those that are being deleted already count among what goes, so that a set
 * that shrinks again meanwhile does not slip through.
 */
export function judgeDeletions(input: DeletionsInput): RemovalVerdict {
  const { set, plan, owned, budget, nowMs, digestOf } = input;
  const { name, namespace = "", uid = "", annotations } = set.metadata;
  return judgeRemoval({
    removed: plan.leaving,
    total: owned,
    budget,
    allowance: { key: annotationKeys.deletionAllowed, text: annotations?.[annotationKeys.deletionAllowed] },
    nowMs,
    digest: () => digestOf(JSON.stringify([namespace, name, uid, ...[...plan.wanted].sort()])),
    words: {
      things: "Applications",
      other: "another plan",
      removing: "deleting",
      why: "are not generated any more, and at once it may delete",
      command: `capstan appset allow-deletion ${namespace === "" ? name : `${namespace}/${name}`}`,
    },
  });
}
