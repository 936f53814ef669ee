import {
  changeText,
  type ImageChange,
  type ImagePlan,
  nameOf,
  versionText,
  type WriteBack,
} from "@capstan/engine";
import { isConflict, isNotFound } from "@capstan/kube";
import { annotationKeys, argoApiVersion, isSkipped, messageOf } from "@capstan/model";
import type { UpdateMemory } from "./update-memory.ts";
import {
  asksForUpdates,
  findApplication,
  type StoredApplication,
  type UpdaterNeeds,
} from "./updater-needs.ts";
import { writeApplication } from "./write-application.ts";
import { writeGit } from "./write-git.ts";

const conflictRetryMs = 1_000;

/** One look at the images of an application. Resolves to false where there is none to look at any more. */
export async function updateImages(
  { needs, memory, key }: { needs: UpdaterNeeds; memory: UpdateMemory; key: string },
  signal: AbortSignal,
): Promise<boolean> {
  const { clock, plans } = needs;
  memory.lookAt = clock.now() + plans.intervalMs;
  const app = findApplication(needs, key);
  if (!app) return false;
  if (app.metadata.deletionTimestamp !== undefined || isSkipped(app.metadata.annotations)) return true;
  await takeRequest(needs, app, signal);
  const plan = await plans.plan(app, signal);
  if (!plan) return false;
  const { updater, considered, errors } = plan;
  memory.look = { updater, considered, errors };
  tellProblems(needs, { app, plan, memory });
  if (plan.changes.length === 0) memory.failure = undefined;
  if (plan.changes.length === 0 || plan.writeBack === undefined) return true;
  try {
    const where = await write(needs, { app, plan, writeBack: plan.writeBack, memory }, signal);
    memory.failure = undefined;
    if (where !== undefined) {
      memory.updated = { atMs: clock.now(), changes: plan.changes };
      tellUpdate(needs, { app, changes: plan.changes, where });
    }
  } catch (error) {
    signal.throwIfAborted();
    if (isConflict(error)) memory.lookAt = clock.now() + conflictRetryMs;
    else if (!isNotFound(error)) tellFailure(needs, { app, memory, problem: messageOf(error) });
    return true;
  }
  return true;
}

/** A request that is taken away is being done; what is asked for from now on is another one. */
async function takeRequest(
  { client, live, plans }: UpdaterNeeds,
  app: StoredApplication,
  signal: AbortSignal,
): Promise<void> {
  if (!asksForUpdates(app)) return;
  const { name, namespace } = app.metadata;
  const ref = { apiVersion: argoApiVersion, kind: "Application", namespace, name };
  const body = { metadata: { annotations: { [annotationKeys.imageUpdates]: null } } };
  live.observe(await client.patch(ref, { type: "merge", body }, { signal }));
  plans.forget(app);
}

/** Resolves to where it was written; nothing where it stood there already. */
async function write(
  needs: UpdaterNeeds,
  asked: { app: StoredApplication; plan: ImagePlan; writeBack: WriteBack; memory: UpdateMemory },
  signal: AbortSignal,
): Promise<string | undefined> {
  const { writeBack } = asked;
  if (writeBack.method === "git") return writeGit(needs, { ...asked, writeBack }, signal);
  return (await writeApplication(needs, asked, signal)) ? "in the Application" : undefined;
}

function factsOf({ metadata }: StoredApplication) {
  return { application: metadata.name, namespace: metadata.namespace };
}

/** Each problem once, until it has been mended. */
function tellProblems(
  { log, events, metrics }: UpdaterNeeds,
  { app, plan, memory }: { app: StoredApplication; plan: ImagePlan; memory: UpdateMemory },
): void {
  const skipped = plan.verdicts.flatMap(({ does, alias, because }) =>
    does === "skip" ? [`${alias}: ${because}`] : [],
  );
  const all = [...plan.problems, ...skipped];
  for (const problem of all) {
    if (memory.said.has(problem)) continue;
    log.warn({ ...factsOf(app), problem }, "an image is not looked after");
    events.record(app, { type: "Warning", reason: "ImageNotUpdated", message: problem });
    metrics.failed();
  }
  memory.said = new Set(all);
}

function tellFailure(
  { log, events, metrics }: UpdaterNeeds,
  { app, memory, problem }: { app: StoredApplication; memory: UpdateMemory; problem: string },
): void {
  metrics.failed();
  if (memory.failure === problem) return;
  memory.failure = problem;
  log.warn({ ...factsOf(app), problem }, "new images could not be written");
  events.record(app, { type: "Warning", reason: "ImageNotUpdated", message: problem });
}

/** Reason and annotations as argocd-image-updater has them (pkg/argocd/update.go UpdateApplication). */
function tellUpdate(
  { log, events, metrics }: UpdaterNeeds,
  { app, changes, where }: { app: StoredApplication; changes: readonly ImageChange[]; where: string },
): void {
  const annotations: Record<string, string> = {};
  for (const [index, { rule, from, to }] of changes.entries()) {
    const prefix = `argocd-image-updater.image-${index}`;
    annotations[`${prefix}/full-image-name`] = nameOf(rule.image);
    annotations[`${prefix}/image-name`] = rule.image.path;
    annotations[`${prefix}/old-tag`] = versionText(from);
    annotations[`${prefix}/new-tag`] = versionText(to);
  }
  const images = changes.map(changeText).join(", ");
  const message = `Updated images ${where}: ${images}`;
  log.info({ ...factsOf(app), images }, `updated images ${where}`);
  events.record(app, { type: "Normal", reason: "ImagesUpdated", message, annotations });
  metrics.updated(changes.length);
}
