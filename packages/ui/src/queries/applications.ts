import type { Application } from "@capstan/model";
import { type ApplicationWatchEvent, routes } from "@capstan/wire";
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
  "operation",
];

const listFields = ["metadata.resourceVersion", ...rowFields.map((field) => `items.${field}`)].join(",");
const watchFields = ["result.type", ...rowFields.map((field) => `result.application.${field}`)].join(",");

const listKey = ["applications"] as const;

export function appKey({ metadata }: Pick<Application, "metadata">): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}

async function loadList(signal: AbortSignal): Promise<Snapshot> {
  const list = await call(routes.listApplications, { fields: listFields }, signal);
  const map = new Map((list.items ?? []).map((app) => [appKey(app), app]));
  return { version: list.metadata.resourceVersion ?? "", map };
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
      publish: ({ map }) => queryClient.setQueryData(listKey, map),
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
  if (queryClient.getQueryData(listKey) !== undefined) return;
  queryClient.setQueryData(listKey, (await loadList(signal)).map);
}
