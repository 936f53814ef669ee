import type { OperationObject, OperationRecord } from "@capstan/wire";
import type { Entry } from "./world.ts";

/** Of each deployment one, and of a failed sync one more. */
export function recordsOf({ app, managed, recipe }: Entry): OperationRecord[] {
  const deployments = [...(app.status?.history ?? [])].reverse();
  const changes = managed.slice(0, 2).map(({ group = "", kind, namespace = "", name }) => ({
    ...{ group, version: "v1", kind, namespace, name },
    act: "change" as const,
    message: `${kind.toLowerCase()}/${name} configured`,
    before: "b",
    after: "a",
  }));
  const records = deployments.map(
    (deployment, index): OperationRecord => ({
      id: String(deployments.length - index),
      startedAt: deployment.deployStartedAt ?? deployment.deployedAt,
      finishedAt: deployment.deployedAt,
      phase: "Succeeded",
      message: "successfully synced (all tasks run)",
      attempt: 0,
      dryRun: false,
      initiatedBy: deployment.initiatedBy ?? {},
      revisions: [deployment.revision ?? ""],
      sources: deployment.source ? [deployment.source] : [],
      images: {
        before: [`registry.example.com/${recipe.project}/${recipe.name}:1.7.${4 - index}`],
        after: [`registry.example.com/${recipe.project}/${recipe.name}:1.7.${5 - index}`],
      },
      changes,
      leftOut: 0,
      textsHidden: false,
    }),
  );
  const [last] = records;
  if (!recipe.failedSync || !last) return records;
  const at = new Date(Date.parse(last.finishedAt) + 60_000).toISOString();
  const failed = { startedAt: at, finishedAt: at, phase: "Failed" as const, message: recipe.failedSync };
  return [{ ...last, ...failed, id: "99", changes: [] }, ...records];
}

export function recordedObject({ managed }: Entry, query: URLSearchParams): OperationObject {
  const found = managed.find(
    ({ kind, name }) => kind === query.get("kind") && name === query.get("resourceName"),
  );
  const after = found?.targetState ?? "{}";
  return { before: after.replaceAll(/:1\.(\d)/g, ":0.$1").replace('"replicas":', '"replicas":1'), after };
}
