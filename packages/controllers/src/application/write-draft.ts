import { isConflict, isNotFound } from "@capstan/kube";
import { type Application, annotationKeys, type Manifest } from "@capstan/model";
import { mergePatch } from "../loop/merge-patch.ts";
import type { ApplicationRun } from "./application-run.ts";

type Fields = { [field: string]: unknown };

const attempts = 5;

/**
 * Writes what the draft changes, and nothing when it changes nothing. A request for a refresh that came in the
 * meantime stays (its timestamp is another one), for which the write is bound to the version that was read.
 */
export async function writeDraft(run: ApplicationRun, signal: AbortSignal): Promise<boolean> {
  const { needs } = run;
  for (let attempt = 1; ; attempt += 1) {
    const patch = draftPatch(run);
    if (!patch) return false;
    const { name, namespace } = run.app.metadata;
    const ref = { apiVersion: run.app.apiVersion, kind: run.app.kind, namespace, name };
    try {
      const written = await needs.client.patch(ref, { type: "merge", body: patch }, { signal });
      run.app = needs.apps.wrote(written) ?? run.app;
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      if (!isConflict(error) || attempt === attempts) throw error;
      const latest = await needs.client.get(ref, signal);
      if (!latest) return false;
      takeMetadata(run, latest);
    }
  }
}

/** After a conflict only the metadata is taken: status and operation are ours to write. */
function takeMetadata(run: ApplicationRun, latest: Manifest): void {
  const known = run.needs.apps.wrote(latest);
  if (known) run.app = { ...run.app, metadata: known.metadata };
}

export function draftPatch(run: ApplicationRun): Fields | undefined {
  const { app, draft } = run;
  const patch: Fields = {};
  const status = mergePatch(app.status ?? {}, draft.status);
  if (status) patch.status = status;
  const spec = mergePatch(app.spec, draft.spec);
  if (spec) patch.spec = spec;
  if (app.operation !== undefined && draft.operation === undefined) patch.operation = null;
  else if (draft.operation !== undefined) {
    const operation = mergePatch(app.operation ?? {}, draft.operation);
    if (operation) patch.operation = operation;
  }
  const metadata = metadataPatch(run);
  if (metadata) patch.metadata = metadata;
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function metadataPatch({ app, draft, refresh }: ApplicationRun): Fields | undefined {
  const patch: Fields = {};
  const finalizers = app.metadata.finalizers ?? [];
  const sameFinalizers =
    finalizers.length === draft.finalizers.length &&
    finalizers.every((name) => draft.finalizers.includes(name));
  if (!sameFinalizers) patch.finalizers = draft.finalizers;
  if (refresh && isSameRefresh(app, refresh)) {
    patch.annotations = {
      [annotationKeys.refresh]: null,
      ...(refresh.timestamp === undefined ? {} : { [annotationKeys.refreshTimestamp]: null }),
    };
  }
  if (Object.keys(patch).length === 0) return undefined;
  return {
    ...patch,
    ...(app.metadata.resourceVersion ? { resourceVersion: app.metadata.resourceVersion } : {}),
  };
}

function isSameRefresh({ metadata }: Application, refresh: NonNullable<ApplicationRun["refresh"]>): boolean {
  const { annotations } = metadata;
  return (
    annotations?.[annotationKeys.refresh] === refresh.value &&
    annotations[annotationKeys.refreshTimestamp] === refresh.timestamp
  );
}
