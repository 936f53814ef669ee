import type { ApplicationChange, RemovalVerdict } from "@capstan/engine";
import { applyMergePatch } from "@capstan/formats";
import type { Application, ApplicationSet } from "@capstan/model";
import type { AskNeeds } from "./ask-needs.ts";
import { forPeople, type GeneratedSet, generateSet } from "./generate-set.ts";
import { planSet, type SetPlan, type SetPlanNeeds } from "./plan-set.ts";

export interface SetDifference {
  /** hold: it would be deleted, and the deletion budget keeps it until that is allowed. */
  readonly act: ApplicationChange["kind"] | "hold";
  /** As it is, or as it is made. */
  readonly application: Application;
  /** What of it a set keeps: names of metadata, and the specification. Absent where there is none. */
  readonly live?: unknown;
  /** The same as it becomes; absent where it goes. */
  readonly target?: unknown;
}

export type SetDiff =
  | {
      readonly kind: "planned";
      readonly differences: readonly SetDifference[];
      readonly problems: SetPlan["problems"];
      readonly deletions: RemovalVerdict;
    }
  | Extract<GeneratedSet, { kind: "failed" }>;

/**
 * What the controller would do if the set were this one, by what it decides with. The set is as it would be stored:
 * with the uid of the one that is there.
 */
export async function diffSet(
  needs: AskNeeds & SetPlanNeeds,
  set: ApplicationSet,
  signal: AbortSignal,
): Promise<SetDiff> {
  const generated = await generateSet(needs, { set, ...forPeople }, signal);
  if (generated.kind === "failed") return generated;
  const { changes, held, problems, deletions } = await planSet(
    needs,
    { set, generated: generated.applications },
    signal,
  );
  const differences = [
    ...changes.map((change) => differenceOf(change)),
    ...held.map((change): SetDifference => ({ ...differenceOf(change), act: "hold" })),
  ];
  return { kind: "planned", differences, problems, deletions };
}

function differenceOf(change: ApplicationChange): SetDifference {
  const { kind: act } = change;
  if (change.kind === "create") {
    const { application } = change;
    return { act, application, target: keptOf(application) };
  }
  const { before: application } = change;
  const live = keptOf(application);
  return change.kind === "delete"
    ? { act, application, live }
    : { act, application, live, target: applyMergePatch(live, change.patch) };
}

function keptOf({ metadata, spec }: Application) {
  const { name, namespace, labels, annotations, finalizers, ownerReferences } = metadata;
  const given = { name, namespace, labels, annotations, finalizers, ownerReferences };
  return {
    metadata: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    spec,
  };
}
