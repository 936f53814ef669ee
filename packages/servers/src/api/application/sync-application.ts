import {
  type Application,
  CapstanError,
  hasMultipleSources,
  isAutomated,
  type Operation,
  projectOf,
  type SyncOperation,
  sourceFields,
  sourcesOf,
} from "@capstan/model";
import { refuseLocalManifests } from "@capstan/planning";
import type { SyncRequest } from "@capstan/wire";
import type { HandlerOf, Identity } from "../../call.ts";
import { requireRules } from "../access/find-project.ts";
import { applicationObject, requireRight } from "../access/rights.ts";
import type { ApiContext } from "../context.ts";
import { findApplication } from "./find-application.ts";
import { revisionRequest, type SourceNeeds } from "./render-application.ts";
import { revisionsByPosition } from "./revisions-by-position.ts";
import { startOperation } from "./start-operation.ts";
import { requireSyncWindow } from "./sync-windows.ts";

/** Checks in the order of Argo CD's server/application.go Sync. */
export function syncApplication(context: ApiContext): HandlerOf<"syncApplication"> {
  return async (request, { user, signal }) => {
    const { rights, controlNamespace } = context;
    const app = await findApplication(context, { request, user, action: "get", signal });
    requireSyncWindow(context, app);
    const object = applicationObject(app, controlNamespace);
    requireRight(rights, user, { resource: "applications", action: "sync", object });
    const { otherRevisionEnforced } = context.settings.current.general;
    if (otherRevisionEnforced && otherRevision(app, request))
      requireRight(rights, user, { resource: "applications", action: "override", object });
    if (request.manifests && request.manifests.length > 0)
      checkLocalManifests(context, app, { request, user });
    if (app.metadata.deletionTimestamp)
      throw new CapstanError({
        code: "FAILED_PRECONDITION",
        what: `application "${app.metadata.name}"`,
        problem: "is being deleted",
      });
    const problem = request.dryRun ? undefined : automationProblem(app, request);
    if (problem)
      throw new CapstanError({
        code: "FAILED_PRECONDITION",
        what: `application "${app.metadata.name}"`,
        problem,
      });
    const operation = await syncOperation(context, app, { request, user, signal });
    return startOperation(context, app, { operation, signal });
  };
}

function checkLocalManifests(
  context: SourceNeeds & Pick<ApiContext, "rights" | "controlNamespace" | "repo">,
  app: Application,
  { request, user }: { request: SyncRequest; user: Identity },
): void {
  const object = applicationObject(app, context.controlNamespace);
  requireRight(context.rights, user, { resource: "applications", action: "override", object });
  refuseLocalManifests(context, { project: requireRules(context, projectOf(app)), sources: sourcesOf(app) });
  if (isAutomated(app) && !request.dryRun)
    throw new CapstanError({
      code: "FAILED_PRECONDITION",
      what: `application "${app.metadata.name}"`,
      problem:
        "cannot be synced from local manifests while automated sync is on; switch it off or use a dry run",
    });
}

interface Asked {
  request: SyncRequest;
  user: Identity;
  signal: AbortSignal;
}

/** What a request asks for, as the controller will take it up. */
export async function syncOperation(
  context: SourceNeeds & Pick<ApiContext, "repo">,
  app: Application,
  { request, user, signal }: Asked,
): Promise<Operation> {
  const revisions = await resolveRevisions(context, app, { request, signal });
  const retry = request.retryStrategy ?? app.spec.syncPolicy?.retry;
  const sync: SyncOperation = {
    ...sourceFields(app.spec),
    ...revisions,
    ...given("prune", request.prune || undefined),
    ...given("dryRun", request.dryRun || undefined),
    ...given("syncStrategy", request.strategy),
    ...given("resources", request.resources),
    ...given("manifests", request.manifests),
    // Options of the request replace the application's whole list (v1alpha1 SyncOperation.SyncOptions).
    ...given("syncOptions", request.syncOptions?.items ?? app.spec.syncPolicy?.syncOptions),
  };
  return {
    sync,
    initiatedBy: { username: user.name },
    ...given("info", request.infos),
    ...given("retry", retry),
  };
}

function given<K extends string, T>(name: K, value: T | undefined): { [N in K]?: T } {
  const fields: { [N in K]?: T } = {};
  if (value !== undefined) fields[name] = value;
  return fields;
}

/** Names become commits now, from the remote: what runs is what was the newest when it was asked for. */
async function resolveRevisions(
  context: SourceNeeds & Pick<ApiContext, "repo">,
  app: Application,
  { request, signal }: { request: SyncRequest; signal: AbortSignal },
): Promise<{ revision: string } | { revisions: string[] }> {
  const asked = askedRevisions(app, request);
  const resolved = await Promise.all(
    sourcesOf(app).map(async (source, index) => {
      const revision = asked[index];
      const question = revisionRequest(context, app, { source, revision });
      return (await context.repo.resolveRevision({ ...question, noRevisionCache: true }, signal)).revision;
    }),
  );
  return hasMultipleSources(app.spec) ? { revisions: resolved } : { revision: resolved[0] ?? "" };
}

function askedRevisions(app: Application, request: SyncRequest): (string | undefined)[] {
  if (!hasMultipleSources(app.spec)) return [request.revision || request.revisions?.[0]];
  return revisionsByPosition(sourcesOf(app).length, request);
}

/** Automated sync would undo a sync to anything but what it follows. */
export function automationProblem(app: Application, request: SyncRequest): string | undefined {
  const other = isAutomated(app) ? otherRevision(app, request) : undefined;
  if (!other) return undefined;
  const { revision, target } = other;
  return `cannot sync to ${revision} while automated sync follows ${target}; switch automated sync off first`;
}

/** The first revision that is asked for and is not the one that its source follows. */
function otherRevision(
  app: Application,
  request: SyncRequest,
): { revision: string; target: string } | undefined {
  const asked = askedRevisions(app, request);
  for (const [index, { targetRevision }] of sourcesOf(app).entries()) {
    const revision = asked[index];
    const target = targetRevision || "HEAD";
    if (revision && revision !== target) return { revision, target };
  }
  return undefined;
}
