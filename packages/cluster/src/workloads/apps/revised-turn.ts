import { claimDependents } from "../claim-dependents.ts";
import { type Context, lookUp } from "../controller.ts";
import { isPod, type Pod } from "../kinds.ts";
import { resourceTypes } from "../resource-types.ts";
import { writeStatus } from "../write-status.ts";
import { type History, type Revised, syncHistory } from "./controller-revisions.ts";

/** What is there when a StatefulSet or DaemonSet has its turn. */
interface RevisedTurn<Owner extends Revised> {
  readonly set: Owner;
  readonly pods: Pod[];
  readonly history: History;
}

/** In place of a turn, what `reconcile` answers: the set is gone, or its next revision wants another name. */
interface NoTurn {
  readonly set?: undefined;
  readonly againInMs: 0 | undefined;
}

export async function beginRevisedTurn<Owner extends Revised>(
  context: Context,
  type: string,
  key: string,
): Promise<RevisedTurn<Owner> | NoTurn> {
  const { objects } = context;
  const set = lookUp<Owner>(objects, type, key);
  if (!set) return { againInMs: undefined };
  const { selector } = set.spec;
  const pods = await claimDependents(context, {
    owner: set,
    type: resourceTypes.pods,
    selector,
    isKind: isPod,
  });
  const history = await syncHistory(context, set);
  if (!("collisionCount" in history)) return { set, pods, history };
  const status = { ...set.status, collisionCount: history.collisionCount };
  await writeStatus<Owner>(objects, type, { object: set, status });
  return { againInMs: 0 };
}
