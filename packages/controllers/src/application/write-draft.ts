import { applyMergePatch, isRecord, makeMergePatch } from "@capstan/formats";
import { isConflict, isNotFound, isTooLarge } from "@capstan/kube";
import { type Application, annotationKeys, isApplication, type Manifest } from "@capstan/model";
import { asksForRun } from "./application-changes.ts";
import { isRunning } from "./application-memory.ts";
import { type ApplicationDraft, type ApplicationRun, draftedApp, lookAgain } from "./application-run.ts";
import { NoLongerOurs, operatedBy, requireCurrent } from "./shard.ts";
import { isShortened, shortenStatus } from "./shorten-status.ts";

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
    requireCurrent(needs.shard, signal);
    const { name, namespace } = run.app.metadata;
    const ref = { apiVersion: run.app.apiVersion, kind: run.app.kind, namespace, name };
    try {
      const written = await needs.client.patch(ref, { type: "merge", body: patch }, unwarned(signal));
      const known = needs.apps.wrote(written);
      if (known) takeIn(run, known, asPatched(run, patch));
      // The draft goes on changing, each field as a whole (`draftOf`).
      run.app = { ...draftedApp(run), status: { ...run.draft.status } };
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      if (isTooLarge(error) && !isShortened(run)) {
        shortenStatus(run, error);
        continue;
      }
      if (!isConflict(error) || attempt === attempts) throw error;
      const latest = await needs.client.get(ref, signal);
      if (!latest) return false;
      const known = needs.apps.wrote(latest);
      refuseTaken(run, latest);
      if (known) takeIn(run, known, run.app);
    }
  }
}

/** What the kind's definition does not know is left out by the server; to be told so costs it a second reading. */
const unwarned = (signal: AbortSignal) => ({ signal, fieldValidation: "Ignore" as const });

/**
 * What others changed in the meantime is not ours to undo: later writes of this run carry only what the run
 * itself changes from here on. Of the newer object only the metadata is taken; the rest is seen by the next run, which
 * is asked for here: the watch tells nothing of what was known before.
 */
function takeIn(run: ApplicationRun, latest: Application, expected: Application): void {
  if (asksForRun(expected, latest)) lookAgain(run, 0, "it was changed while it was looked at");
  const before = run.app.metadata.finalizers ?? [];
  const now = latest.metadata.finalizers ?? [];
  const { finalizers } = run.draft;
  const kept = now.filter((name) => finalizers.includes(name) || !before.includes(name));
  const added = finalizers.filter((name) => !before.includes(name) && !now.includes(name));
  run.draft.finalizers = [...kept, ...added];
  run.app = { ...run.app, metadata: latest.metadata };
}

/** What the patch makes of what was read, where nobody else has changed it. */
function asPatched(run: ApplicationRun, { metadata }: Fields): Application {
  const { annotations = {} } = run.app.metadata;
  const changes = isRecord(metadata) ? (metadata.annotations ?? {}) : {};
  const left = applyMergePatch(annotations, changes);
  return {
    ...draftedApp(run),
    metadata: { ...run.app.metadata, ...(areTexts(left) ? { annotations: left } : {}) },
  };
}

function areTexts(value: unknown): value is Record<string, string> {
  return isRecord(value) && Object.values(value).every((one) => typeof one === "string");
}

export function draftPatch(run: ApplicationRun): Fields | undefined {
  const { app, draft } = run;
  const patch: Fields = {};
  const status = statusPatch(run);
  if (status) patch.status = status;
  const spec = makeMergePatch(app.spec, draft.spec);
  if (spec) patch.spec = spec;
  if (app.operation !== undefined && draft.operation === undefined) patch.operation = null;
  else if (draft.operation !== undefined) {
    const operation = makeMergePatch(app.operation ?? {}, draft.operation);
    if (operation) patch.operation = operation;
  }
  const metadata = metadataPatch(run);
  if (metadata) patch.metadata = metadata;
  if (Object.keys(patch).length === 0) return undefined;
  // Where controllers share the work every write is bound to what was read: whoever has taken over is seen.
  const { resourceVersion } = app.metadata;
  if (run.needs.shard && resourceVersion) patch.metadata = { ...metadata, resourceVersion };
  return patch;
}

function statusPatch({ app, draft, reconciledAt }: ApplicationRun): Fields | undefined {
  const patch = makeMergePatch(app.status ?? {}, draft.status);
  if (!patch || reconciledAt === undefined) return patch;
  draft.status.reconciledAt = reconciledAt;
  return { ...patch, reconciledAt };
}

/** Where controllers share the work, what another one has begun in the meantime is not written over, nor done too. */
function refuseTaken({ needs: { shard }, app }: ApplicationRun, latest: Manifest): void {
  if (!shard || !isApplication(latest)) return;
  const holder = operatedBy(latest);
  const [before, now] = [app.status?.operationState, latest.status?.operationState];
  const isNew = now?.startedAt !== before?.startedAt || (isRunning(before) && !isRunning(now));
  if (holder !== shard.identity && (holder !== undefined || isNew))
    throw new NoLongerOurs(
      `another controller has begun something with it: ${holder ?? "an operation that is over"}`,
    );
}

function metadataPatch(run: ApplicationRun): Fields | undefined {
  const { app, draft, needs } = run;
  const { shard } = needs;
  const patch: Fields = {};
  const { answered, spentAllowance } = draft;
  const finalizers = app.metadata.finalizers ?? [];
  const sameFinalizers =
    finalizers.length === draft.finalizers.length &&
    finalizers.every((name) => draft.finalizers.includes(name));
  if (!sameFinalizers) patch.finalizers = draft.finalizers;
  const given = app.metadata.annotations?.[annotationKeys.operatedBy];
  const annotations = {
    ...(answered && isSameRefresh(app, answered)
      ? {
          [annotationKeys.refresh]: null,
          ...(answered.timestamp === undefined ? {} : { [annotationKeys.refreshTimestamp]: null }),
        }
      : {}),
    ...(isFollowed(run) ? { [annotationKeys.traceparent]: null } : {}),
    ...(spentAllowance !== undefined &&
    app.metadata.annotations?.[annotationKeys.pruneAllowed] === spentAllowance
      ? { [annotationKeys.pruneAllowed]: null }
      : {}),
    ...(shard && isRunning(draft.status.operationState) && given !== shard.identity
      ? { [annotationKeys.operatedBy]: shard.identity }
      : {}),
  };
  if (Object.keys(annotations).length > 0) patch.annotations = annotations;
  if (Object.keys(patch).length === 0) return undefined;
  return {
    ...patch,
    ...(app.metadata.resourceVersion ? { resourceVersion: app.metadata.resourceVersion } : {}),
  };
}

/** The trace of who asked is gone on with: the next one to ask has another. */
function isFollowed({ app, draft }: ApplicationRun): boolean {
  if (app.metadata.annotations?.[annotationKeys.traceparent] === undefined) return false;
  const isBegun = app.operation !== undefined && draft.operation === undefined;
  return isBegun || (draft.answered !== undefined && isSameRefresh(app, draft.answered));
}

function isSameRefresh(
  { metadata }: Application,
  answered: NonNullable<ApplicationDraft["answered"]>,
): boolean {
  const { annotations } = metadata;
  return (
    annotations?.[annotationKeys.refresh] === answered.value &&
    annotations[annotationKeys.refreshTimestamp] === answered.timestamp
  );
}
