import { nameOf, updaterProblem, versionText } from "@capstan/engine";
import { equalJson } from "@capstan/formats";
import type { ImageUpdater, ImageUpdaterStatus, Manifest } from "@capstan/model";
import type { UpdateMemory } from "./update-memory.ts";

type Condition = NonNullable<ImageUpdaterStatus["conditions"]>[number];
type RecentUpdate = NonNullable<ImageUpdaterStatus["recentUpdates"]>[number];
type Said = Pick<Condition, "type" | "status" | "reason" | "message">;

interface Round {
  readonly nowMs: number;
  /** Updates that lie further apart are of different rounds. */
  readonly intervalMs: number;
}

/**
 * The status of an ImageUpdater, as argocd-image-updater writes it (internal/controller/status.go), of the last looks at
 * its applications. What it was updated with before this process stays told until there is something newer.
 */
export function updaterStatus(
  updater: Manifest & ImageUpdater,
  looked: readonly UpdateMemory[],
  { nowMs, intervalMs }: Round,
): ImageUpdaterStatus {
  const { generation = 0 } = updater.metadata;
  const before = updater.status ?? {};
  const sum = (of: (memory: UpdateMemory) => number) => looked.reduce((all, one) => all + of(one), 0);
  const lastMs = Math.max(...looked.map(({ updated }) => updated?.atMs ?? 0), 0);
  const updates = looked.filter(({ updated }) => updated && updated.atMs > lastMs - intervalMs);
  const counts = {
    apps: looked.length,
    errors: sum(({ look, failure }) => (look?.errors ?? 0) + (failure === undefined ? 0 : 1)),
    updated: updates.reduce((all, { updated }) => all + (updated?.changes.length ?? 0), 0),
  };
  const said = conditionsOf(updaterProblem(updater), counts);
  return {
    observedGeneration: generation,
    lastCheckedAt: textOf(nowMs),
    applicationsMatched: counts.apps,
    imagesManaged: sum(({ look }) => look?.considered ?? 0),
    ...(lastMs > 0
      ? { lastUpdatedAt: textOf(lastMs), recentUpdates: recentUpdates(updates) }
      : updatesOf(before)),
    conditions: merged(before.conditions ?? [], said, { nowMs, generation }),
  };
}

/** Whether anything but the time of the last look would change. */
export function isToldAlready(before: ImageUpdaterStatus | undefined, status: ImageUpdaterStatus): boolean {
  return equalJson({ ...before, lastCheckedAt: "" }, { ...status, lastCheckedAt: "" });
}

function conditionsOf(
  problem: string | undefined,
  { apps, errors, updated }: { apps: number; errors: number; updated: number },
): Said[] {
  const idle = {
    type: "Reconciling",
    status: "False",
    reason: "Idle",
    message: "Last check completed. Awaiting next cycle.",
  } as const;
  const both = (error: Omit<Said, "type">, ready: Omit<Said, "type">): Said[] => [
    idle,
    { type: "Error", ...error },
    { type: "Ready", ...ready },
  ];
  if (problem !== undefined)
    return both(
      { status: "True", reason: "ReconcileError", message: problem },
      { status: "False", reason: "ReconcileFailed", message: `Reconciliation failed: ${problem}` },
    );
  if (errors > 0)
    return both(
      {
        status: "True",
        reason: "PartialErrors",
        message: `${errors} error(s) occurred during image update checks.`,
      },
      {
        status: "True",
        reason: "ReconcileCompletedWithErrors",
        message: `Reconciled ${apps} applications with ${errors} errors, ${updated} images updated.`,
      },
    );
  return both(
    { status: "False", reason: "NoErrors", message: "No errors during last reconciliation." },
    {
      status: "True",
      reason: "ReconcileSucceeded",
      message: `Reconciled ${apps} applications, ${updated} images updated.`,
    },
  );
}

function updatesOf({ lastUpdatedAt, recentUpdates: told }: ImageUpdaterStatus): ImageUpdaterStatus {
  return {
    ...(lastUpdatedAt === undefined ? {} : { lastUpdatedAt }),
    ...(told === undefined ? {} : { recentUpdates: told }),
  };
}

/** One for each image and version, however many applications got it. */
function recentUpdates(memories: readonly UpdateMemory[]): RecentUpdate[] {
  const found = new Map<string, RecentUpdate>();
  for (const { updated } of memories)
    for (const { rule, from, to } of updated?.changes ?? []) {
      const newVersion = versionText(to);
      const key = `${rule.alias} ${newVersion}`;
      const known = found.get(key);
      if (known) found.set(key, { ...known, applicationsUpdated: known.applicationsUpdated + 1 });
      else
        found.set(key, {
          alias: rule.alias,
          image: nameOf(rule.image),
          newVersion,
          applicationsUpdated: 1,
          updatedAt: textOf(updated?.atMs ?? 0),
          message: `Updated from ${versionText(from)} to ${newVersion}.`,
        });
    }
  return [...found.values()].slice(0, mostUpdates);
}

const mostUpdates = 500;

/** apimachinery meta.SetStatusCondition: the time is that of the last change of the status. */
function merged(
  before: readonly Condition[],
  said: readonly Said[],
  { nowMs, generation }: { nowMs: number; generation: number },
): Condition[] {
  return said.map((one) => {
    const old = before.find(({ type }) => type === one.type);
    const lastTransitionTime = old && old.status === one.status ? old.lastTransitionTime : textOf(nowMs);
    return { ...one, observedGeneration: generation, lastTransitionTime };
  });
}

function textOf(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}
