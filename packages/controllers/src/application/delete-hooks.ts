import {
  aggregateHealth,
  decideApply,
  demandsSignatures,
  hookDeletePolicies,
  hookTypesOf,
  nameHook,
} from "@capstan/engine";
import { applyObject } from "@capstan/kube";
import {
  CapstanError,
  comparedRevisions,
  formatKey,
  instanceName,
  keyOf,
  type Manifest,
  readSyncOptions,
  sourcesOf,
} from "@capstan/model";
import { buildHooks, renderDesired } from "@capstan/planning";
import type { Outcome } from "../loop/outcome.ts";
import type { ApplicationRun, LoadedRun } from "./application-run.ts";
import { deleteLive } from "./perform-action.ts";

export type DeleteHookType = "PreDelete" | "PostDelete";

const lookAgainMs = 5_000;

/** Runs the hooks of one type and waits for them (controller/hook.go executeHooks). */
export async function runDeleteHooks(
  loaded: LoadedRun,
  type: DeleteHookType,
  signal: AbortSignal,
): Promise<Outcome | "done"> {
  const { run, tenant: cluster } = loaded;
  const { app } = run;
  const revision = comparedRevisions(app)[0] ?? "";
  const startedAt = app.metadata.deletionTimestamp ?? "";
  const options = readSyncOptions(app.spec.syncPolicy?.syncOptions);
  // Without a name of its own a hook would be made anew at each look.
  const hooks = (await renderedHooks(loaded, signal))
    .filter((hook) => hookTypesOf(hook).has(type))
    .map((hook) => nameHook(hook, type, { revision, startedAt }));
  for (const hook of hooks) {
    const problem = cluster.refusalOf(keyOf(hook));
    if (problem) throw new CapstanError({ code: "FAILED_PRECONDITION", what: `${type} hook`, problem });
  }
  for (const hook of hooks) {
    if (cluster.live.get(keyOf(hook))) continue;
    const mode = decideApply({ app, options, target: hook, live: undefined });
    const { object } = await applyObject(
      { client: cluster.client, clock: run.needs.clock },
      { object: hook, live: undefined, mode, signal },
    );
    cluster.live.observe(object);
  }
  const healthOf = hookHealth(run, signal);
  for (const hook of hooks) {
    const live = cluster.live.get(keyOf(hook));
    const health = live && (await healthOf(live));
    if (live && (health?.status === "Degraded" || health?.status === "Unknown")) {
      // Made anew at the next attempt.
      await deleteLive(cluster, { object: live, propagation: "Foreground" }, signal);
      const problem = health.message ?? "it failed";
      throw new CapstanError({
        code: "FAILED_PRECONDITION",
        what: `${type} hook ${formatKey(keyOf(hook))}`,
        problem,
      });
    }
    const isOver = live !== undefined && (health === undefined || health.status === "Healthy");
    if (!isOver)
      return {
        kind: "waiting",
        reason: `waiting for ${type} hook ${formatKey(keyOf(hook))}`,
        retryAfterMs: lookAgainMs,
      };
  }
  return "done";
}

async function renderedHooks(
  { run, project, tenant: cluster }: LoadedRun,
  signal: AbortSignal,
): Promise<readonly Manifest[]> {
  const { memory, needs, app } = run;
  const [revisions, sources] = [comparedRevisions(app), sourcesOf(app)];
  const { discovery } = cluster.client;
  // What was found of signatures was found by the demands of then.
  const wasRefused = (memory.desired?.unverified.length ?? 0) > 0;
  if (wasRefused || demandsSignatures(project, sources)) memory.desired = undefined;
  memory.desired ??= await renderDesired(needs, { app, project, discovery, sources, revisions }, signal);
  const { unverified } = memory.desired;
  const hooks = buildHooks(needs, { app, cluster, desired: memory.desired, memory: memory.comparisons });
  if (hooks.length > 0 && unverified.length > 0)
    throw new CapstanError({
      code: "FAILED_PRECONDITION",
      what: "hooks of the deletion",
      problem: unverified.join("\n"),
    });
  return hooks;
}

/** Takes away hooks whose delete policy says so; those without a policy stay (controller/hook.go cleanupHooks). */
export async function cleanDeleteHooks(
  { run, tenant: cluster }: LoadedRun,
  type: DeleteHookType,
  signal: AbortSignal,
): Promise<Outcome | "done"> {
  const { needs, app } = run;
  const hooks = cluster.live
    .managedBy(instanceName(app, needs.controlNamespace))
    .filter((object) => hookTypesOf(object).has(type));
  const healthOf = hookHealth(run, signal);
  const parts = await Promise.all(
    hooks.map(async (hook) => {
      const health = await healthOf(hook);
      return { key: keyOf(hook), isLive: true, ...(health ? { health } : {}) };
    }),
  );
  const worst = aggregateHealth(parts).status ?? "Healthy";
  const policy = worst === "Healthy" ? "HookSucceeded" : "HookFailed";
  const going = hooks.filter((hook) => hasPolicy(hook, policy));
  for (const object of going) await deleteLive(cluster, { object, propagation: "Foreground" }, signal);
  const isThere = going.some((hook) => cluster.live.get(keyOf(hook))?.metadata.uid === hook.metadata.uid);
  return isThere
    ? { kind: "waiting", reason: `${type} hooks are being deleted`, retryAfterMs: lookAgainMs }
    : "done";
}

function hookHealth({ needs, key }: ApplicationRun, signal: AbortSignal) {
  const { health } = needs.scripts;
  return (hook: Manifest) => health.judged(key, (healthOf) => healthOf(hook), signal);
}

function hasPolicy(hook: Manifest, policy: "HookSucceeded" | "HookFailed"): boolean {
  return hookDeletePolicies(hook).has(policy);
}
