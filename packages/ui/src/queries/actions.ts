import type { Application, ApplicationSource } from "@capstan/model";
import { routes, type SyncRequest } from "@capstan/wire";
import type { AppRef } from "../paths.ts";
import type { ResourceId } from "../resource-id.ts";
import { showApplication } from "./application.ts";
import { call } from "./client.ts";
import { resourceIn, scopeOf } from "./scope.ts";

export async function syncApplication(app: AppRef, request: SyncRequest): Promise<void> {
  await call(routes.syncApplication, { ...request, ...scopeOf(app) });
}

/** A normal refresh compares anew; a hard one also renders anew, past every cache. */
export async function refreshApplication(app: AppRef, kind: "normal" | "hard"): Promise<void> {
  await call(routes.getApplication, { ...scopeOf(app), refresh: kind });
}

export async function terminateOperation(app: AppRef): Promise<void> {
  await call(routes.terminateOperation, scopeOf(app));
}

export async function rollbackApplication(app: AppRef, id: number, prune: boolean): Promise<void> {
  await call(routes.rollbackApplication, { ...scopeOf(app), id, prune });
}

export async function turnOffAutoSync(app: AppRef): Promise<void> {
  const patch = JSON.stringify({ spec: { syncPolicy: { automated: null } } });
  showApplication(await call(routes.patchApplication, { ...scopeOf(app), patch, patchType: "merge" }));
}

export interface SourceChange {
  readonly app: Application;
  readonly position: number;
  readonly before: ApplicationSource;
  readonly after: ApplicationSource;
}

/** Replaces one source, and only while it is still what the change began with. The server renders it first. */
export async function saveSource(ref: AppRef, { app, position, before, after }: SourceChange): Promise<void> {
  const path = app.spec.sources?.length ? `/spec/sources/${position}` : "/spec/source";
  const patch = JSON.stringify([
    { op: "test", path, value: before },
    { op: "replace", path, value: after },
  ]);
  showApplication(await call(routes.patchApplication, { ...scopeOf(ref), patch, patchType: "json" }));
}

/** Changes single fields, each only while it is still what the change began with. */
export async function patchFields(ref: AppRef, patch: readonly object[]): Promise<void> {
  const body = { ...scopeOf(ref), patch: JSON.stringify(patch), patchType: "json" };
  showApplication(await call(routes.patchApplication, body));
}

/** The object as it becomes; with `dryRun` the cluster only says what that would be. */
export async function patchObject(
  app: AppRef,
  resource: ResourceId,
  { patch, dryRun }: { patch: readonly object[]; dryRun: boolean },
): Promise<string> {
  const what = { ...resourceIn(app, resource), patch: JSON.stringify(patch), patchType: "json", dryRun };
  return (await call(routes.patchResource, what)).manifest;
}

export type Cascade = "foreground" | "background" | "orphan";

/** Orphan leaves everything in the cluster and removes only the application (cascade=false). */
export async function deleteApplication(app: AppRef, cascade: Cascade): Promise<void> {
  const how = cascade === "orphan" ? { cascade: false } : { cascade: true, propagationPolicy: cascade };
  await call(routes.deleteApplication, { ...scopeOf(app), ...how });
}

export async function createApplication(application: Application): Promise<Application> {
  return await call(routes.createApplication, { application, validate: true });
}

export async function deleteResource(app: AppRef, resource: ResourceId): Promise<void> {
  await call(routes.deleteResource, resourceIn(app, resource));
}

export async function runResourceAction(
  app: AppRef,
  resource: ResourceId,
  { action, values }: { action: string; values: Readonly<Record<string, string>> },
): Promise<void> {
  const resourceActionParameters = Object.entries(values).map(([name, value]) => ({ name, value }));
  await call(routes.runResourceAction, { ...resourceIn(app, resource), action, resourceActionParameters });
}
