import { imagesOf, maskAllTexts, maskSecrets, type SyncTask } from "@capstan/engine";
import { equalJson, formatTime } from "@capstan/formats";
import type { TenantCluster } from "@capstan/kube";
import {
  keyText,
  type Manifest,
  type OperationState,
  operationSources,
  type ResourceResult,
} from "@capstan/model";
import type { NewChange } from "@capstan/planning";
import { type ApplicationRun, draftedApp } from "./application-run.ts";

type Ending = Pick<OperationState, "phase"> & { message: string };

/**
 * What an operation did, for whoever asks later. An operation is no less done where this cannot be kept. After a restart
 * in its middle only what was changed since is known; the results tell the rest.
 */
export function recordOperation(
  run: ApplicationRun,
  ending: Ending,
  tenant: TenantCluster | undefined,
): void {
  const { records, log } = run.needs;
  if (!records) return;
  try {
    const { namespace = "", name, uid = "" } = run.app.metadata;
    const app = { namespace, name, uid };
    const made = recordOf(run, ending, { tenant, wasSensitive: records.lastWasSensitive(app) });
    if (made) records.add(app, made);
  } catch (error) {
    log.error({ app: run.key, error }, "what an operation did could not be kept");
  }
}

interface Known {
  tenant: TenantCluster | undefined;
  wasSensitive: boolean | undefined;
}

function recordOf(run: ApplicationRun, { phase, message }: Ending, { tenant, wasSensitive }: Known) {
  const { draft, needs, memory } = run;
  const state = draft.status.operationState;
  if (!state) return undefined;
  const { syncResult, operation } = state;
  const plan = memory.operation?.plan;
  const rendered = memory.operation?.desired.manifests ?? [];
  const sensitive = rendered.some(({ secretPaths }) => secretPaths?.length);
  const isFirst = wasSensitive === undefined && (draft.status.history ?? []).length === 0;
  const textsHidden = sensitive || (!isFirst && wasSensitive !== false);
  const changes = (plan && tenant && !plan.dryRun ? plan.tasks : []).flatMap((task) =>
    changeOf(task, { tenant, results: syncResult?.resources ?? [] }),
  );
  const revision = syncResult?.revision;
  return {
    startedAt: state.startedAt,
    finishedAt: formatTime(needs.clock.now()),
    phase,
    message,
    attempt: state.retryCount ?? 0,
    dryRun: operation.sync?.dryRun === true,
    initiatedBy: operation.initiatedBy ?? {},
    revisions: syncResult?.revisions ?? (revision ? [revision] : []),
    sources: operationSources(draftedApp(run), operation),
    images: imagesOfAll(changes),
    changes: changes.map((change) =>
      hidden(change, textsHidden, needs.settings.current.general.maskedAnnotations),
    ),
    sensitive,
    textsHidden,
  };
}

interface Doing {
  tenant: TenantCluster | undefined;
  results: readonly ResourceResult[];
}

/** What was done with one object; nothing where it stayed as it was. */
function changeOf(task: SyncTask, { tenant, results }: Doing): NewChange[] {
  if (task.act === "skip-prune") return [];
  const { group, kind, namespace, name } = task.key;
  const result = results.find((one) => keyText(one) === keyText(task.key) && one.syncPhase === task.phase);
  const basis = { group, version: task.version, kind, namespace, name, message: result?.message ?? "" };
  const isFailed =
    result?.status === "SyncFailed" || result?.hookPhase === "Failed" || result?.hookPhase === "Error";
  if (task.act === "apply" && task.hook)
    return result ? [{ ...basis, act: isFailed ? "failed" : "hook" }] : [];
  const before = task.live && lasting(task.live);
  const now = task.act === "prune" && !isFailed && result ? undefined : tenant?.live.get(task.key);
  const after = now && lasting(now);
  const isChanged = !equalJson(before, after);
  if (isFailed) return [{ ...basis, act: "failed", before, after }];
  if (!isChanged || !result) return [];
  return [{ ...basis, act: before ? (after ? "change" : "delete") : "create", before, after }];
}

/** Of an object what somebody wants: not what the cluster notes beside it, and no copy of what was once applied. */
function lasting({ metadata, ...object }: Manifest): Manifest {
  const { name, namespace, labels, annotations = {}, finalizers, ownerReferences } = metadata;
  const { status: _, ...rest } = object;
  const noted = Object.entries(annotations).filter(([key]) => !volatile.has(key));
  return {
    ...rest,
    metadata: {
      ...(name ? { name } : {}),
      ...(namespace ? { namespace } : {}),
      ...(labels ? { labels } : {}),
      ...(noted.length > 0 ? { annotations: Object.fromEntries(noted) } : {}),
      ...(finalizers ? { finalizers } : {}),
      ...(ownerReferences ? { ownerReferences } : {}),
    },
  };
}

const volatile = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  "deployment.kubernetes.io/revision",
]);

function hidden(change: NewChange, allTexts: boolean, annotations: readonly string[]): NewChange {
  const versions = [change.before, change.after].map((one) => (one && allTexts ? maskAllTexts(one) : one));
  const [before, after] = maskSecrets(annotations, versions);
  return { ...change, before, after };
}

function imagesOfAll(changes: readonly NewChange[]) {
  const of = (side: "before" | "after") =>
    [...new Set(changes.flatMap(({ [side]: object }) => (object ? imagesOf(object) : [])))].sort();
  return { before: of("before"), after: of("after") };
}
