import { type Application, type ResourceDiff, sourcesOf } from "@capstan/model";
import { routes, type SyncPlanRequest } from "@capstan/wire";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { AppRef } from "../paths.ts";
import type { ResourceId } from "../resource-id.ts";
import { ask } from "./ask.ts";
import { call } from "./client.ts";
import { resourceIn, scopeOf } from "./scope.ts";

/** Changes when the answer of a comparison may have changed. */
export function comparisonOf(app: Application | undefined): string {
  const status = app?.status;
  return [status?.reconciledAt, status?.sync?.revision, status?.operationState?.finishedAt].join("|");
}

/**
 * Changes with what is wanted and with what is deployed, not with each look at it: of Applications the generation
 * counts what is written to their status, too.
 */
export function deploymentOf({ metadata: { labels, annotations }, spec, status }: Application): string {
  const { sync, operationState } = status ?? {};
  return JSON.stringify([spec, labels, annotations, sync?.revision, operationState?.finishedAt]);
}

const named = ["group", "kind", "namespace", "name"] as const;
/** The two texts that a person compares; of the four that there are they are the shorter ones. */
const compared = [...named, "modified", "unpredicted", "normalizedLiveState", "predictedLiveState"] as const;

const ofItems = (names: readonly (keyof ResourceDiff)[]): string =>
  names.map((name) => `items.${name}`).join();

/** Every object that differs, or that one side alone has. */
export function useDifferences(app: AppRef, comparison: string) {
  const request = { ...scopeOf(app), differing: true, fields: ofItems(compared) };
  const asked = ask(routes.listManagedResources, request, comparison);
  return useQuery({ ...asked, placeholderData: keepPreviousData });
}

/** One object, whether it differs or not. */
export function useDifference(app: AppRef, resource: ResourceId, comparison: string) {
  return useManaged(app, resource, { fields: ofItems(compared), comparison });
}

/** One object as git has it. */
export function useDesired(app: AppRef, resource: ResourceId, comparison: string) {
  return useManaged(app, resource, { fields: ofItems([...named, "targetState"]), comparison });
}

/** `found` is undefined where the object does not come from git, nor ever did. */
function useManaged(
  app: AppRef,
  { group, kind, namespace, name: resourceName }: ResourceId,
  { fields, comparison }: { fields: string; comparison: string },
) {
  const request = { ...scopeOf(app), group, kind, namespace, resourceName, fields };
  const asked = ask(routes.listManagedResources, request, comparison);
  const query = useQuery({ ...asked, placeholderData: keepPreviousData });
  return { ...query, found: query.data?.items[0] };
}

export function useStages(app: AppRef, comparison: string) {
  const asked = ask(routes.explainRender, scopeOf(app), comparison);
  return useQuery({ ...asked, placeholderData: keepPreviousData, retry: false });
}

/** Anew whenever the sources or what they stand at change. */
export function useSourceDescriptions(ref: AppRef, app: Application) {
  const asked = ask(routes.describeSources, scopeOf(ref), sourcesOf(app), comparisonOf(app));
  return useQuery({ ...asked, placeholderData: keepPreviousData, retry: false });
}

export function useLiveManifest(app: AppRef, resource: ResourceId, version: string) {
  const asked = ask(routes.getResource, resourceIn(app, resource), version);
  return useQuery({ ...asked, placeholderData: keepPreviousData });
}

/** Links of annotations and of the installation's settings; made anew when what they may name changes. */
export function useApplicationLinks(app: AppRef, comparison: string) {
  const asked = ask(routes.listApplicationLinks, scopeOf(app), comparison);
  return useQuery({ ...asked, placeholderData: keepPreviousData, retry: false });
}

export function useResourceLinks(app: AppRef, resource: ResourceId, version: string) {
  const asked = ask(routes.listResourceLinks, resourceIn(app, resource), version);
  return useQuery({ ...asked, placeholderData: keepPreviousData, retry: false });
}

/** A window opens and closes by the clock. */
const windowsStaleMs = 30_000;

/** Which windows of the project there are for it, and which are open now. */
export function useSyncWindows(app: AppRef, comparison: string) {
  const asked = ask(routes.getApplicationSyncWindows, scopeOf(app), comparison);
  return useQuery({
    ...asked,
    placeholderData: keepPreviousData,
    refetchInterval: windowsStaleMs,
    retry: false,
  });
}

export interface EventScope {
  readonly resourceUID?: string;
  readonly resourceName?: string;
  readonly resourceNamespace?: string;
  /** Of an application: warnings about its objects, too. */
  readonly withObjects?: boolean;
}

export function useEvents(app: AppRef, of: EventScope, refreshKey: string) {
  const asked = ask(routes.listApplicationEvents, { ...scopeOf(app), ...of }, refreshKey);
  return useQuery({ ...asked, placeholderData: keepPreviousData, refetchInterval: 10_000 });
}

export function useSyncPlan(app: AppRef, request: SyncPlanRequest, comparison: string) {
  const asked = ask(routes.previewSyncRequest, { ...scopeOf(app), ...request }, comparison);
  return useQuery({ ...asked, placeholderData: keepPreviousData, staleTime: 0 });
}

export interface RevisionQuestion {
  readonly repository: string | undefined;
  readonly revision: string | undefined;
  readonly wanted?: boolean;
  readonly ofApp?: boolean;
}

/** Keys come and end. */
const signatureStaleMs = 60_000;

/**
 * Author and message of a commit never change, so one answer serves all applications of a repository. What its
 * signature is worth is for each project to say: `ofApp` asks for this application alone.
 */
export function useRevision(
  app: AppRef,
  { repository, revision, wanted = true, ofApp = false }: RevisionQuestion,
) {
  return useQuery({
    queryKey: ["revision", repository, revision, ...(ofApp ? [app.namespace, app.name] : [])],
    queryFn: ({ signal }) =>
      call(routes.getRevisionMetadata, { ...scopeOf(app), revision: revision ?? "" }, signal),
    enabled: wanted && Boolean(revision) && Boolean(repository),
    staleTime: ofApp ? signatureStaleMs : Number.POSITIVE_INFINITY,
    retry: false,
  });
}
