import { type ResourceDiff, readSyncOptions } from "@capstan/model";
import type { SyncPlanPreview, SyncPlanStep, SyncRequest } from "@capstan/wire";
import type { Entry } from "./world.ts";

function actOf(
  diff: ResourceDiff,
  { replace, prune }: { replace: boolean; prune: boolean },
): SyncPlanStep["act"] {
  if (diff.targetState === "null") return prune ? "delete" : "keep";
  if (diff.liveState === "null") return "create";
  if (!diff.modified) return "unchanged";
  return replace ? "replace" : "update";
}

export function planOf({ app, managed, recipe }: Entry, request: SyncRequest): SyncPlanPreview {
  const replace = readSyncOptions(request.syncOptions?.items).replace;
  const steps = managed.map((diff): SyncPlanStep => {
    const act = actOf(diff, { replace, prune: request.prune ?? false });
    return {
      phase: "Sync",
      wave: diff.kind === "ConfigMap" ? -1 : 0,
      act,
      group: diff.group ?? "",
      version: "v1",
      kind: diff.kind,
      namespace: diff.namespace ?? "",
      name: diff.name,
      ...(act === "keep" && { because: "not in git, prune is off" }),
      ...(diff.targetState !== "null" && { targetState: diff.predictedLiveState ?? "null" }),
      ...(diff.liveState !== "null" && { liveState: diff.liveState ?? "null" }),
    };
  });
  if (recipe.name === "guestbook") {
    steps.unshift({
      phase: "PreSync",
      wave: 0,
      act: "hook",
      group: "batch",
      version: "v1",
      kind: "Job",
      namespace: recipe.namespace,
      name: "guestbook-migrate",
      because: "before each sync",
    });
  }
  const count = (act: SyncPlanStep["act"]) => steps.filter((step) => step.act === act).length;
  return {
    revision: request.revision || (app.status?.sync?.revision ?? ""),
    steps: steps.sort((left, right) =>
      left.phase === right.phase ? left.wave - right.wave : left.phase === "PreSync" ? -1 : 1,
    ),
    counts: {
      create: count("create"),
      update: count("update") + count("replace"),
      delete: count("delete"),
      hook: count("hook"),
      unchanged: count("unchanged"),
    },
    blockedBy: recipe.condition ? [`${recipe.condition.type}: ${recipe.condition.message}`] : [],
    warnings: [],
    text: "",
  };
}

/** Everything is then as git says, and the Pods are well. */
export function applyPlan(entry: Entry, prune: boolean): void {
  entry.managed = entry.managed
    .filter(({ targetState }) => targetState !== "null" || !prune)
    .map((diff) =>
      diff.targetState === "null"
        ? diff
        : {
            ...diff,
            liveState: diff.predictedLiveState ?? "null",
            normalizedLiveState: diff.predictedLiveState ?? "null",
            modified: false,
          },
    );
  const kept = new Set(entry.managed.map(({ kind, name }) => `${kind}/${name}`));
  entry.nodes = entry.nodes
    .filter(({ kind, name, parentRefs }) => parentRefs !== undefined || kept.has(`${kind}/${name}`))
    .map((node) => ({
      ...node,
      uid: node.uid ?? `uid-${node.kind}-${node.name}`.toLowerCase(),
      resourceVersion: "3000",
    }));
}
