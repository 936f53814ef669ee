import {
  aggregateHealth,
  type ComparedResource,
  isHook,
  isSkippedByHook,
  stuckReason,
  treeSummary,
} from "@capstan/engine";
import { formatTime } from "@capstan/formats";
import {
  type Application,
  type ApplicationSummary,
  annotationKeys,
  type HealthStatusCode,
  withHealthCause,
} from "@capstan/model";
import type { ComparedRun } from "../application-run.ts";

/** Health of the whole, and what the tree tells of images and addresses. */
export function draftHealth(compared: ComparedRun): void {
  const { run, comparison } = compared;
  const { draft, needs } = run;
  const health = aggregateHealth(comparison.resources.map((resource) => healthPart(resource, run.app)));
  const before = draft.status.health;
  const since = before?.status === health.status ? before?.lastTransitionTime : undefined;
  const cause = causeOf(compared, health.status);
  draft.status.health = {
    ...health,
    ...(health.message !== undefined && cause !== undefined
      ? { message: withHealthCause(health.message, cause) }
      : {}),
    lastTransitionTime: since ?? formatTime(needs.clock.now()),
  };
  draft.status.summary = summaryOf(compared);
}

/** Looked at for what is not well: everything below an application is more than what it is compared by. */
const mostLookedAt = 5_000;

/** What keeps it from being well: a Pod that does not come up, else what the worst object says of itself. */
function causeOf(
  { tenant, comparison }: ComparedRun,
  status: HealthStatusCode | undefined,
): string | undefined {
  if (status === "Healthy" || status === "Missing" || status === undefined) return undefined;
  const worst = comparison.resources.filter(({ status: { health } }) => health?.status === status);
  const seen = new Set<string>();
  const queue = worst.map(({ live }) => live).filter((live) => live !== undefined);
  for (const object of queue) {
    const { uid = "", name } = object.metadata;
    if (seen.has(uid) || seen.size >= mostLookedAt) continue;
    seen.add(uid);
    const reason = object.kind === "Pod" ? stuckReason(object) : "";
    if (reason !== "") return `${reason}: ${name}`;
    queue.push(...tenant.live.children(uid));
  }
  const told = worst.find(({ status: { health } }) => health?.message);
  return told && `${told.key.kind} ${told.key.name}: ${told.status.health?.message}`;
}

function healthPart({ key, target, live, status }: ComparedResource, app: Application) {
  const object = live ?? target;
  const isItself =
    key.kind === "Application" && key.name === app.metadata.name && key.namespace === app.metadata.namespace;
  const isIgnored =
    isItself ||
    (target !== undefined && isSkippedByHook(target)) ||
    (object !== undefined &&
      (isHook(object) || object.metadata.annotations?.[annotationKeys.ignoreHealthcheck] === "true"));
  return {
    key,
    isLive: live !== undefined,
    isIgnored,
    ...(status.health ? { health: status.health } : {}),
  };
}

function summaryOf({ tenant, comparison }: ComparedRun): ApplicationSummary {
  const { resources, targets } = comparison;
  const roots = resources.map(({ live }) => live).filter((live) => live !== undefined);
  return {
    ...treeSummary(roots, (uid) => tenant.live.children(uid)),
    ...(targets.some(({ kind }) => kind === "Application") ? { isAppOfApps: true } : {}),
  };
}
