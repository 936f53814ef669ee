import { aggregateHealth, buildTree, type ComparedResource, isHook } from "@capstan/engine";
import { formatTime } from "@capstan/formats";
import { type Application, type ApplicationSummary, annotationKeys } from "@capstan/model";
import type { ComparedRun } from "../application-run.ts";

/** Health of the whole, and what the tree tells of images and addresses. */
export function draftHealth(compared: ComparedRun): void {
  const { run, comparison } = compared;
  const { draft, needs } = run;
  const health = aggregateHealth(comparison.resources.map((resource) => healthPart(resource, run.app)));
  const before = draft.status.health;
  const since = before?.status === health.status ? before?.lastTransitionTime : undefined;
  draft.status.health = { ...health, lastTransitionTime: since ?? formatTime(needs.clock.now()) };
  draft.status.summary = summaryOf(compared);
}

function healthPart({ key, target, live, status }: ComparedResource, app: Application) {
  const object = live ?? target;
  const isItself =
    key.kind === "Application" && key.name === app.metadata.name && key.namespace === app.metadata.namespace;
  const isIgnored =
    isItself ||
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
  const { nodes = [] } = buildTree({
    roots,
    childrenOf: (uid) => tenant.live.children(uid),
    healthOf: () => undefined, // nothing of the summary
  });
  const images = new Set(nodes.flatMap((node) => node.images ?? []));
  const urls = new Set(nodes.flatMap((node) => node.networkingInfo?.externalURLs ?? []));
  return {
    ...(images.size > 0 ? { images: [...images].sort() } : {}),
    ...(urls.size > 0 ? { externalURLs: [...urls].sort() } : {}),
    ...(targets.some(({ kind }) => kind === "Application") ? { isAppOfApps: true } : {}),
  };
}
