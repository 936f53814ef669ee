import { groupOf, type Manifest } from "@capstan/model";
import type { ActionInput, ImpactedObject, ObjectAction } from "./action.ts";
import { argoActions } from "./argo-actions.ts";
import { operatorActions } from "./operator-actions.ts";
import { workloadActions } from "./workload-actions.ts";

export interface OfferedAction {
  name: string;
  disabled: boolean;
  displayName?: string;
  iconClass?: string;
  params?: readonly { name: string }[];
}

const byKind: ReadonlyMap<string, readonly ObjectAction[]> = new Map(
  [workloadActions, argoActions, operatorActions].flatMap((some) => Object.entries(some)),
);

function actionsOf({ apiVersion, kind }: Manifest): readonly ObjectAction[] {
  return byKind.get(`${groupOf(apiVersion)}/${kind}`) ?? [];
}

/** What may be done to the object as it is now, without any script of the operator's. */
export function offeredActions(live: Manifest): OfferedAction[] {
  return actionsOf(live).flatMap((action) => {
    const state = action.stateOf?.(live) ?? "offered";
    if (state === "absent") return [];
    const { name, displayName, iconClass, params } = action;
    return [
      {
        name,
        disabled: state === "disabled",
        ...(displayName === undefined ? {} : { displayName }),
        ...(iconClass === undefined ? {} : { iconClass }),
        ...(params === undefined ? {} : { params: params.map((param) => ({ name: param })) }),
      },
    ];
  });
}

/** What the action wants done; undefined: there is none of that name. Throws CapstanError for bad parameters. */
export function performBuiltIn(
  live: Manifest,
  name: string,
  input: ActionInput,
): readonly ImpactedObject[] | undefined {
  return actionsOf(live)
    .find((action) => action.name === name)
    ?.perform(live, input);
}
