import { type Application, sourcesOf } from "@capstan/model";
import { routes, type SyncPlanRequest } from "@capstan/wire";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { AppRef } from "../paths.ts";
import type { ResourceId } from "../resource-id.ts";
import { call } from "./client.ts";

const scope = ({ namespace, name }: AppRef) => ({ name, appNamespace: namespace });

/** Changes when the answer of a comparison may have changed. */
export function comparisonOf(app: Application | undefined): string {
  const status = app?.status;
  return [status?.reconciledAt, status?.sync?.revision, status?.operationState?.finishedAt].join("|");
}

export function useManagedResources(app: AppRef, comparison: string) {
  return useQuery({
    queryKey: ["managed-resources", app.namespace, app.name, comparison],
    queryFn: ({ signal }) => call(routes.listManagedResources, scope(app), signal),
    placeholderData: keepPreviousData,
  });
}

export function useStages(app: AppRef, comparison: string) {
  return useQuery({
    queryKey: ["stages", app.namespace, app.name, comparison],
    queryFn: ({ signal }) => call(routes.explainRender, scope(app), signal),
    placeholderData: keepPreviousData,
    retry: false,
  });
}

/** Anew whenever the sources or what they stand at change. */
export function useSourceDescriptions(ref: AppRef, app: Application) {
  return useQuery({
    queryKey: ["source-descriptions", ref.namespace, ref.name, sourcesOf(app), comparisonOf(app)],
    queryFn: ({ signal }) => call(routes.describeSources, scope(ref), signal),
    placeholderData: keepPreviousData,
    retry: false,
  });
}

export function useLiveManifest(app: AppRef, resource: ResourceId, version: string) {
  return useQuery({
    queryKey: ["resource", app.namespace, app.name, resource, version],
    queryFn: ({ signal }) =>
      call(
        routes.getResource,
        {
          ...scope(app),
          namespace: resource.namespace,
          resourceName: resource.name,
          version: resource.version,
          group: resource.group,
          kind: resource.kind,
        },
        signal,
      ),
    placeholderData: keepPreviousData,
  });
}

export interface EventScope {
  readonly resourceUID?: string;
  readonly resourceName?: string;
  readonly resourceNamespace?: string;
}

export function useEvents(app: AppRef, of: EventScope, refreshKey: string) {
  return useQuery({
    queryKey: ["events", app.namespace, app.name, of, refreshKey],
    queryFn: ({ signal }) => call(routes.listApplicationEvents, { ...scope(app), ...of }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
}

export function useSyncPlan(app: AppRef, request: SyncPlanRequest, comparison: string) {
  return useQuery({
    queryKey: ["sync-plan", app.namespace, app.name, request, comparison],
    queryFn: ({ signal }) => call(routes.previewSyncRequest, { ...scope(app), ...request }, signal),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
}

export interface RevisionQuestion {
  readonly repository: string | undefined;
  readonly revision: string | undefined;
  readonly wanted?: boolean;
}

/** Author and message of a commit never change, so one answer serves all applications of a repository. */
export function useRevision(app: AppRef, { repository, revision, wanted = true }: RevisionQuestion) {
  return useQuery({
    queryKey: ["revision", repository, revision],
    queryFn: ({ signal }) =>
      call(routes.getRevisionMetadata, { ...scope(app), revision: revision ?? "" }, signal),
    enabled: wanted && Boolean(revision) && Boolean(repository),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}
