import { hookTypesOf, isSelfReferenced, planDeletion, trackedInstance } from "@capstan/engine";
import { runLimited } from "@capstan/flow";
import type { Cluster, TenantCluster } from "@capstan/kube";
import {
  CapstanError,
  finalizers,
  instanceName,
  isCapstanError,
  keyOf,
  keyText,
  type Manifest,
  projectOf,
  versionOf,
} from "@capstan/model";
import { openTenant } from "@capstan/planning";
import { type Outcome, settled } from "../../loop/outcome.ts";
import type { ApplicationRun, LoadedRun } from "../application-run.ts";
import { cleanDeleteHooks, runDeleteHooks } from "../delete-hooks.ts";
import { findProject } from "../find-project.ts";
import { deleteLive, releaseHook } from "../perform-action.ts";
import { fetchUnlisted, listedOnly } from "../unreadable-kinds.ts";
import { refuseDeletion } from "./block-unsafe.ts";

const cascade: readonly string[] = [
  finalizers.resources,
  finalizers.resourcesForeground,
  finalizers.resourcesBackground,
];
const ours: readonly string[] = [
  ...cascade,
  finalizers.preDelete,
  finalizers.preDeleteCleanup,
  finalizers.postDelete,
  finalizers.postDeleteCleanup,
];
const lookAgainMs = 5_000;

/** Hooks before, the objects in reverse waves, hooks after, then the Application goes (Argo CD: controller/appcontroller.go finalizeApplicationDeletion). */
export async function deleteApplication(run: ApplicationRun, signal: AbortSignal): Promise<Outcome> {
  const { needs, draft, app } = run;
  if (!draft.finalizers.some((name) => ours.includes(name))) return settled;
  const cluster = destination(run);
  if (!cluster) {
    needs.log.warn({ app: run.key }, "the destination is unknown: the objects stay where they are");
    draft.finalizers = draft.finalizers.filter((name) => !ours.includes(name));
    return settled;
  }
  const name = projectOf(app);
  const project = findProject(needs, name);
  if (!project) throw new CapstanError({ code: "PROJECT_MISSING", project: name });
  const loaded = { run, project, cluster, tenant: openTenant(needs, { app, project, cluster }) };
  refuseDeletion(loaded);
  await cluster.live.ready(signal);
  return passStages(loaded, signal);
}

async function passStages(loaded: LoadedRun, signal: AbortSignal): Promise<Outcome> {
  const { draft } = loaded.run;
  const stages: [string[], () => Promise<Outcome | "done">][] = [
    [[finalizers.preDelete], () => runDeleteHooks(loaded, "PreDelete", signal)],
    [[...cascade], () => deleteObjects(loaded, signal)],
    [[finalizers.postDelete], () => runDeleteHooks(loaded, "PostDelete", signal)],
    [[finalizers.preDeleteCleanup], () => cleanDeleteHooks(loaded, "PreDelete", signal)],
    [[finalizers.postDeleteCleanup], () => cleanDeleteHooks(loaded, "PostDelete", signal)],
  ];
  for (const [names, stage] of stages) {
    if (!draft.finalizers.some((finalizer) => names.includes(finalizer))) continue;
    const outcome = await stage();
    if (outcome !== "done") return outcome;
    draft.finalizers = draft.finalizers.filter((finalizer) => !names.includes(finalizer));
  }
  return settled;
}

function destination({ needs, app }: ApplicationRun): Cluster | undefined {
  try {
    return needs.clusters.forDestination(app.spec.destination);
  } catch (error) {
    if (isCapstanError(error)) return undefined;
    throw error;
  }
}

async function deleteObjects(loaded: LoadedRun, signal: AbortSignal): Promise<Outcome | "done"> {
  const { run, tenant: cluster } = loaded;
  const { needs, app } = run;
  // Each pass takes one wave away; a wave that is gone at once lets the next one begin.
  for (let passes = 0; passes < maxWaves; passes += 1) {
    const { live, unknown } = await ownedBy(loaded, signal);
    await releaseHooks(run, { cluster, live }, signal);
    const plan = planDeletion({ app, live });
    if (plan.state === "done") {
      if (unknown.length > 0) sayUnknown(run, unknown);
      return "done";
    }
    if (plan.state === "confirm")
      return { kind: "waiting", reason: "deletion waits for confirmation", retryAfterMs: lookAgainMs };
    if (plan.state === "wait")
      return { kind: "waiting", reason: "objects are being deleted", retryAfterMs: lookAgainMs };
    const objects = new Map(live.map((object) => [keyText(keyOf(object)), object]));
    await runLimited(plan.deletions, needs.options.parallelActs, async ({ key }) => {
      const object = objects.get(keyText(key));
      if (object) await deleteLive(cluster, { object, propagation: plan.propagation }, signal);
    });
  }
  return { kind: "waiting", reason: "objects are being deleted", retryAfterMs: lookAgainMs };
}

const maxWaves = 1000;

/** No operation is left that could: a hook that was running would hold the deletion up for good. */
async function releaseHooks(
  { needs }: ApplicationRun,
  { cluster, live }: { cluster: TenantCluster; live: readonly Manifest[] },
  signal: AbortSignal,
): Promise<void> {
  const held = live.filter(({ metadata }) => metadata.finalizers?.includes(finalizers.hook));
  await runLimited(held, needs.options.parallelActs, async (object) => {
    const { apiVersion, metadata } = object;
    const hook = { key: keyOf(object), version: versionOf(apiVersion), uid: metadata.uid };
    await releaseHook({ cluster }, hook, signal);
  });
}

/**
 * Objects that are surely this application's, that its project permits, and that are not hooks of its deletion; and
 * those of which nobody can tell.
 */
async function ownedBy(
  { run: { needs, app }, tenant: cluster }: LoadedRun,
  signal: AbortSignal,
): Promise<{ live: Manifest[]; unknown: string[] }> {
  const { tracking } = needs.settings.current.general;
  const instance = instanceName(app, needs.controlNamespace);
  const listed = listedOnly(cluster, cluster.live.managedBy(instance));
  const { found, unknown } = await fetchUnlisted(cluster, app.status?.resources ?? [], signal);
  const own = found.filter((object) => trackedInstance(object, tracking) === instance);
  const live = [...listed, ...own].filter((object) => {
    const types = hookTypesOf(object);
    return isSelfReferenced(object, tracking) && !types.has("PreDelete") && !types.has("PostDelete");
  });
  return { live, unknown };
}

/** The Application goes all the same: waiting for what cannot be seen would be waiting for ever. */
function sayUnknown({ needs, app, key }: ApplicationRun, unknown: readonly string[]): void {
  const message = `deleted without knowing whether these are still there: ${unknown.join("; ")}`;
  needs.log.warn(
    { app: key, unknown },
    "objects that cannot be read were left when an application was deleted",
  );
  needs.events.record(app, { type: "Warning", reason: "ObjectsLeft", message });
}
