import { equalJson } from "@capstan/formats";
import { type Application, type AppProject, type Pipeline, sourcesOf } from "@capstan/model";

/*
 * Which changes of objects concern an application.
 */

/** What of a project its applications depend on; its status is not of it. */
export function rulesOf({ metadata, spec }: AppProject): unknown {
  const { uid, labels, annotations, finalizers, deletionTimestamp } = metadata;
  return { uid, labels, annotations, finalizers, deletionTimestamp, spec };
}

/** Applications that name a Pipeline; and where it has discovery, those that name no tool. */
export function mayUse(app: Application, { metadata, spec }: Pipeline): boolean {
  return sourcesOf(app).some(({ plugin, helm, kustomize, directory }) => {
    if (plugin?.name) return plugin.name === metadata.name;
    return spec.discover !== undefined && !helm && !kustomize && !directory;
  });
}

/** What of an application those look at that depend on it. */
export function readinessOf(app: Application | undefined): unknown {
  const { sync, health, operationState } = app?.status ?? {};
  return [sync?.status, sync?.revision, sync?.revisions, health?.status, operationState?.phase];
}

/** Changes that others make; our own writes change nothing of these but what the run itself knows. */
export function asksForRun(previous: Application, current: Application): boolean {
  const one = previous.metadata;
  const other = current.metadata;
  return (
    one.uid !== other.uid ||
    one.deletionTimestamp !== other.deletionTimestamp ||
    previous.status?.operationState?.phase !== current.status?.operationState?.phase ||
    !equalJson(one.annotations ?? {}, other.annotations ?? {}) ||
    !equalJson(previous.spec, current.spec) ||
    !equalJson(previous.operation, current.operation)
  );
}
