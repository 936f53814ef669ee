import { type ApplicationChange, type GeneratedApplication, rollSet } from "@capstan/engine";
import { equalJson, formatTime } from "@capstan/formats";
import { isConflict, isNotFound } from "@capstan/kube";
import { type ApplicationSetCondition, argoApiVersion } from "@capstan/model";
import { isRollingSet, ownedBy, type SetPlan, setPolicyOf } from "@capstan/planning";
import { findSet, type SetNeeds, type StoredSet } from "./set-needs.ts";

export interface Rollout {
  /** Those of the plan, and the syncs that begin now. */
  readonly changes: readonly ApplicationChange[];
  /** undefined: as they were. */
  readonly conditions?: readonly Omit<ApplicationSetCondition, "lastTransitionTime">[];
  /** When there is something to do again, though nothing happens; undefined: not. */
  readonly againMs?: number;
}

interface Input {
  readonly key: string;
  readonly set: StoredSet;
  readonly made: readonly GeneratedApplication[];
  readonly plan: SetPlan;
  /** Applications that cannot be as they are meant: nothing is started there. */
  readonly problems: ReadonlyMap<string, string>;
}

const soonMs = 200;
const nextSecondMs = 1_000;

/**
 * How far the rollout of a set is, stored in its status before anything is started: whatever ends Capstan in between,
 * what the status says is Pending is started once. For sets that all go at once there is nothing to do.
 */
export async function rollOut(needs: SetNeeds, input: Input, signal: AbortSignal): Promise<Rollout> {
  const { changes } = input.plan;
  const set = findSet(needs, input.key);
  // Its specification may be another by now: then it is looked at again anyway.
  const isCurrent = set?.metadata.uid === input.set.metadata.uid && equalJson(set?.spec, input.set.spec);
  if (!set || !isRollingSet(needs.settings.current, set)) return { changes };
  if (!isCurrent) return { changes, againMs: soonMs };
  const rolled = rollSet({
    set,
    desired: input.made.map(({ application }) => application),
    owned: ownedBy(needs.live, set),
    changing: new Set(changes.flatMap((one) => (changesSpec(one) ? [one.name] : []))),
    mayUpdate: setPolicyOf(needs.settings.current, set).mayUpdate,
    now: formatTime(needs.clock.now()),
  });
  const { conditions, states, isEarly } = rolled;
  if (!equalJson(states, set.status?.applicationStatus ?? [])) {
    const isStored = await store(needs, { set, states }, signal);
    if (!isStored) return { changes, againMs: soonMs };
  }
  const starts = rolled.starts.filter(({ app }) => !input.problems.has(app.metadata.name));
  return {
    changes: withStarts(changes, starts),
    conditions,
    ...(isEarly ? { againMs: nextSecondMs } : {}),
  };
}

function changesSpec(change: ApplicationChange): boolean {
  return change.kind === "update" && change.patch.spec !== undefined;
}

/** For the version of the set that was looked at, and no other. */
async function store(
  { client, live }: SetNeeds,
  { set, states }: { set: StoredSet; states: ReturnType<typeof rollSet>["states"] },
  signal: AbortSignal,
): Promise<boolean> {
  const { name, namespace, resourceVersion } = set.metadata;
  const ref = { apiVersion: argoApiVersion, kind: "ApplicationSet", namespace, name };
  const body = { metadata: { resourceVersion }, status: { applicationStatus: states } };
  try {
    live.observe(await client.patch(ref, { type: "merge", body }, { signal, subresource: "status" }));
    return true;
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return false;
    throw error;
  }
}

function withStarts(
  changes: readonly ApplicationChange[],
  starts: ReturnType<typeof rollSet>["starts"],
): ApplicationChange[] {
  const operations = new Map(starts.map(({ app, operation }) => [app.metadata.name, operation]));
  const merged = changes.map((change): ApplicationChange => {
    const operation = operations.get(change.name);
    if (operation === undefined || change.kind !== "update") return change;
    operations.delete(change.name);
    return { ...change, patch: { ...change.patch, operation } };
  });
  const added = starts.flatMap(({ app, operation }): ApplicationChange[] => {
    const { name } = app.metadata;
    return operations.has(name) ? [{ kind: "update", name, patch: { operation }, before: app }] : [];
  });
  return [...merged, ...added];
}
