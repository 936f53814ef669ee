import type { Application } from "@capstan/model";
import { type ApplicationWatchEvent, type ListOf, routes } from "@capstan/wire";
import { skipToken, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { call, readStream } from "./client.ts";
import { keepLive } from "./live.ts";
import { queryClient } from "./query-client.ts";

export type ApplicationMap = ReadonlyMap<string, Application>;

interface Snapshot {
  readonly version: string;
  readonly map: ApplicationMap;
}

/** What a row shows: the rest of an application (resources, history) would make up most of the answer. */
const rowFields = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "metadata.labels",
  "metadata.creationTimestamp",
  "metadata.deletionTimestamp",
  "metadata.resourceVersion",
  "spec.project",
  "spec.source",
  "spec.sources",
  "spec.destination",
  "spec.syncPolicy.automated",
  "status.sync.status",
  "status.sync.revision",
  "status.sync.revisions",
  "status.health",
  "status.conditions",
  "status.operationState.phase",
  "status.operationState.message",
  "status.operationState.startedAt",
  "status.operationState.finishedAt",
  "status.operationState.retryCount",
  "status.operationState.operation.retry.limit",
  "operation",
];

const listFields = ["metadata.resourceVersion", ...rowFields.map((field) => `items.${field}`)].join(",");
const watchFields = ["result.type", ...rowFields.map((field) => `result.application.${field}`)].join(",");

const listKey = ["applications"] as const;
const wholeKey = ["applications", "whole"] as const;

/** What fills a screen comes first, the worst on top; the rest in pages that take a moment each. */
const [firstPage, nextPage] = [200, 2_000];

export function appKey({ metadata }: Pick<Application, "metadata">): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}

/**
 * All applications, page by page; `show` is called with what has come after each. What changes meanwhile is told by a
 * watch from the version of the first page.
 */
export async function loadPages(
  ask: (page: { limit: number; continue?: string }) => Promise<ListOf<Application>>,
  show: (map: ApplicationMap) => void,
): Promise<Snapshot> {
  const first = await ask({ limit: firstPage });
  const all = [...(first.items ?? [])];
  let next = first.metadata.continue;
  while (next) {
    show(mapOf(all));
    const page = await ask({ limit: nextPage, continue: next });
    all.push(...(page.items ?? []));
    next = page.metadata.continue;
  }
  return { version: first.metadata.resourceVersion ?? "", map: mapOf(all) };
}

function mapOf(apps: readonly Application[]): ApplicationMap {
  return new Map(apps.map((app) => [appKey(app), app]));
}

async function loadList(signal: AbortSignal): Promise<Snapshot> {
  const isFirst = queryClient.getQueryData(listKey) === undefined;
  return await loadPages(
    (page) => call(routes.listApplications, { fields: listFields, sort: "state", ...page }, signal),
    (map) => {
      // What was there before is nearer to the truth than a part of what is.
      if (isFirst && !signal.aborted) queryClient.setQueryData(listKey, map);
    },
  );
}

function publishWhole({ map }: Snapshot): void {
  queryClient.setQueryData(listKey, map);
  queryClient.setQueryData(wholeKey, true);
}

export function applyEvents(map: ApplicationMap, events: readonly ApplicationWatchEvent[]): ApplicationMap {
  const next = new Map(map);
  for (const { type, application } of events) {
    if (type === "DELETED") next.delete(appKey(application));
    else next.set(appKey(application), application);
  }
  return next;
}

function followList(signal: AbortSignal): Promise<void> {
  return keepLive<Snapshot, ApplicationWatchEvent>(
    {
      name: "applications",
      load: loadList,
      follow: ({ version }, reader) =>
        readStream(routes.watchApplications, { resourceVersion: version, fields: watchFields }, reader),
      apply: ({ version, map }, events) => ({ version, map: applyEvents(map, events) }),
      publish: publishWhole,
      fail: () => undefined,
    },
    signal,
  );
}

/** The list as last known; undefined before the first answer. */
export function useApplications(): ApplicationMap | undefined {
  return useQuery<ApplicationMap>({
    queryKey: listKey,
    queryFn: skipToken,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  }).data;
}

/** Whether the list as last known has everything: what is not in a part of it may yet come. */
export function useListIsWhole(): boolean {
  const whole = useQuery<boolean>({
    queryKey: wholeKey,
    queryFn: skipToken,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
  return whole.data === true;
}

/** Keeps the list live while the calling page is shown. */
export function useLiveApplications(): ApplicationMap | undefined {
  useEffect(() => {
    const stop = new AbortController();
    void followList(stop.signal);
    return () => stop.abort();
  }, []);
  return useApplications();
}

/** For the palette on pages that do not follow the list. */
export async function ensureApplications(signal: AbortSignal): Promise<void> {
  if (queryClient.getQueryData(wholeKey) === true) return;
  publishWhole(await loadList(signal));
}
