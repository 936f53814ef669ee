import type { Application } from "@capstan/model";

/** What of an Application decides how far a rollout is, beside what its set keeps as it says. */
export function rolledOf({ operation, status }: Application): unknown {
  const { sync, health, operationState, conditions = [] } = status ?? {};
  return [
    [sync?.status, sync?.revision, sync?.revisions, sync?.comparedTo?.source, sync?.comparedTo?.sources],
    health?.status,
    operation === undefined,
    [operationState?.phase, operationState?.startedAt],
    conditions
      .map(({ type }) => type)
      .filter((type) => type === "InvalidSpecError" || type === "UnknownError"),
  ];
}
