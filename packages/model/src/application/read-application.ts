import type { Application } from "./application.ts";
import type { Operation, SyncOperation } from "./operation.ts";
import type { ApplicationSource, SourceHydrator } from "./source.ts";
import type { ApplicationSpec } from "./spec.ts";

/** Name in tracking metadata: bare in the control namespace, namespace_name elsewhere (v1alpha1 InstanceName). */
export function instanceName(app: Application, controlNamespace: string): string {
  const namespace = app.metadata.namespace ?? controlNamespace;
  return namespace === controlNamespace ? app.metadata.name : `${namespace}_${app.metadata.name}`;
}

/** The Application that an instance name means; neither names nor namespaces contain an underscore. */
export function readInstanceName(
  instance: string,
  controlNamespace: string,
): { namespace: string; name: string } {
  const underscore = instance.indexOf("_");
  if (underscore < 0) return { namespace: controlNamespace, name: instance };
  return { namespace: instance.slice(0, underscore), name: instance.slice(underscore + 1) };
}

/** Even one element of `sources` makes an application multi-source; a hydrated one never is. */
export function hasMultipleSources(spec: ApplicationSpec): boolean {
  return spec.sourceHydrator === undefined && (spec.sources?.length ?? 0) > 0;
}

/** What to render: the hydrator's sync source, else `sources`, else `source` (v1alpha1 GetSources). */
export function sourcesOf({ spec }: { spec: ApplicationSpec }): ApplicationSource[] {
  if (spec.sourceHydrator !== undefined) return [hydratedSource(spec.sourceHydrator)];
  if (spec.sources !== undefined && spec.sources.length > 0) return spec.sources;
  return spec.source === undefined ? [] : [spec.source];
}

/** Neither a chart nor an artifact of a registry. */
export function isGitSource({ chart, repoURL }: ApplicationSource): boolean {
  return !chart && !repoURL.trim().toLowerCase().startsWith("oci://");
}

function hydratedSource({ drySource, syncSource }: SourceHydrator): ApplicationSource {
  return {
    repoURL: syncSource.repoURL ?? drySource.repoURL,
    path: syncSource.path,
    targetRevision: syncSource.targetBranch,
  };
}

export function projectOf({ spec }: { spec: ApplicationSpec }): string {
  return spec.project === "" ? "default" : spec.project;
}

export function isAutomated({ spec }: { spec: ApplicationSpec }): boolean {
  const automated = spec.syncPolicy?.automated;
  return automated !== undefined && automated.enabled !== false;
}

/** Revisions of the last comparison, one for each source. */
export function comparedRevisions(app: Application): string[] {
  const sync = app.status?.sync;
  if (sync === undefined) return [];
  if (hasMultipleSources(app.spec)) return sync.revisions ?? [];
  return sync.revision === undefined ? [] : [sync.revision];
}

/** What `status.sync.revision` or `.revisions` hold, depending on the kind of application. */
export function revisionFields(
  spec: ApplicationSpec,
  revisions: readonly string[],
): { revision?: string; revisions?: string[] } {
  if (hasMultipleSources(spec)) return { revisions: [...revisions] };
  const [revision] = revisions;
  return revision === undefined ? {} : { revision };
}

/**
 * The sources as an operation holds them, so that it and its retries stay with what it was begun for when the spec changes
 * meanwhile (Argo CD: controller/appcontroller.go autoSync, server/application/application.go Sync).
 */
export function sourceFields(spec: ApplicationSpec): Pick<SyncOperation, "source" | "sources"> {
  const sources = sourcesOf({ spec });
  if (hasMultipleSources(spec)) return { sources };
  const [source] = sources;
  return source === undefined ? {} : { source };
}

/** What an operation syncs: its own sources (a rollback), or those of the application. */
export function operationSources(app: Application, { sync }: Operation): ApplicationSource[] {
  if (sync?.sources && sync.sources.length > 0) return sync.sources;
  if (sync?.source) return [sync.source];
  return sourcesOf(app);
}
