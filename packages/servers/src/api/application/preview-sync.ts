import {
  type ComparedResource,
  diffManifest,
  maskSecrets,
  planSync,
  printPlan,
  type SyncTask,
} from "@capstan/engine";
import {
  type Application,
  blocksSync,
  formatTime,
  keyText,
  type Manifest,
  sourcesOf,
  stringifyJson,
  versionOf,
} from "@capstan/model";
import type { SyncPlanPreview, SyncPlanRequest, SyncPlanStep, SyncRequest } from "@capstan/wire";
import type { HandlerOf, Identity } from "../../call.ts";
import type { ApiContext } from "../context.ts";
import {
  type ComparedApplication,
  type CompareNeeds,
  compareApplication,
  kindReader,
} from "./compare-application.ts";
import { findApplication } from "./find-application.ts";
import { asDeployed, findDeployment } from "./rollback-application.ts";
import { automationProblem, resolveRevisions, syncOptionsOf } from "./sync-application.ts";
import { syncWindowProblem } from "./sync-windows.ts";

type Needs = CompareNeeds & Pick<ApiContext, "rights" | "clock">;

/** The plan that a sync with these options would follow now, each step with what it changes. */
export function previewSync(context: Needs): HandlerOf<"previewSync"> {
  return ({ name, appNamespace, project, revision, prune }, call) => {
    const request: Named & SyncRequest = {
      name,
      ...(appNamespace ? { appNamespace } : {}),
      ...(project ? { project } : {}),
      ...(revision ? { revision } : {}),
      ...(prune ? { prune } : {}),
    };
    return preview(context, request, call);
  };
}

export function previewSyncRequest(context: Needs): HandlerOf<"previewSyncRequest"> {
  return (request, call) => preview(context, request, call);
}

interface Named {
  name: string;
}

async function preview(
  context: Needs,
  asked: Named & SyncPlanRequest,
  { user, signal }: { user: Identity; signal: AbortSignal },
): Promise<SyncPlanPreview> {
  const found = await findApplication(context, { request: asked, user, action: "get", signal });
  const { app, revisions, request } = await readWish(context, { app: found, request: asked, signal });
  const compared = await compareApplication(context, app, {
    revisions,
    manifests: request.manifests,
    signal,
  });
  const rendered = compared.answers.map(({ revision }) => revision);
  const plan = planFor(context, app, { request, compared, revision: rendered[0] ?? "" });
  const byKey = new Map(compared.comparison.resources.map((resource) => [keyText(resource.key), resource]));
  const steps = plan.tasks.map((task) => describeStep(task, byKey.get(keyText(task.key)), compared));
  return {
    revision: rendered[0] ?? "",
    ...(sourcesOf(app).length > 1 ? { revisions: rendered } : {}),
    steps,
    counts: countSteps(steps),
    blockedBy: blockers(context, app, request),
    warnings: [
      ...plan.problems.map(({ message }) => message),
      ...compared.comparison.conditions.map(({ message }) => message),
    ],
    text: printPlan(plan),
  };
}

interface Wish {
  app: Application;
  revisions: readonly string[];
  request: SyncRequest;
}

/** What would be synced: the newest, what the request names, or what the history holds. */
async function readWish(
  context: Needs,
  { app, request, signal }: { app: Application; request: SyncPlanRequest; signal: AbortSignal },
): Promise<Wish> {
  const { historyId, ...sync } = request;
  if (historyId === undefined) {
    const resolved = await resolveRevisions(context, app, { request, signal });
    const revisions = "revisions" in resolved ? resolved.revisions : [resolved.revision];
    return { app, revisions, request: sync };
  }
  const { manifests: _, ...rest } = sync;
  const entry = findDeployment(app, historyId);
  const revisions = entry.revisions ?? (entry.revision ? [entry.revision] : []);
  return { app: asDeployed(app, entry), revisions, request: { ...rest, strategy: { apply: {} } } };
}

interface PlanFacts {
  request: Pick<SyncRequest, "prune" | "resources" | "strategy" | "syncOptions">;
  compared: ComparedApplication;
  revision: string;
}

function planFor(
  context: Pick<Needs, "clock" | "live" | "clusters" | "controlNamespace">,
  app: Application,
  { request, compared, revision }: PlanFacts,
) {
  const { prune, resources, strategy } = request;
  const syncOptions = syncOptionsOf(app, request);
  const kindOf = kindReader(compared.cluster);
  return planSync({
    app,
    operation: {
      sync: {
        revision,
        ...(prune ? { prune } : {}),
        ...(resources ? { resources } : {}),
        ...(strategy ? { syncStrategy: strategy } : {}),
        ...(syncOptions ? { syncOptions } : {}),
      },
    },
    startedAt: formatTime(context.clock.now()),
    revision,
    resources: compared.comparison.resources,
    hooks: compared.hooks,
    liveOf: compared.liveOf,
    kindOf: (apiVersion, kind) =>
      kindOf(apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "", kind),
    refusalOf: (key) => compared.cluster.refusalOf(key),
  });
}

function describeStep(
  task: SyncTask,
  compared: ComparedResource | undefined,
  { rules, secrets, cluster }: ComparedApplication,
): SyncPlanStep {
  const target = task.act === "apply" ? task.target : undefined;
  const live = task.live ?? compared?.live;
  const [shownTarget, shownLive] = maskSecrets(...secrets.hide([target, live], cluster.live));
  const act = actOf(task);
  const fields =
    act === "update" && shownTarget && shownLive ? diffManifest(shownTarget, shownLive, rules).fields : [];
  return {
    phase: task.phase,
    wave: task.wave,
    act,
    group: task.key.group,
    version: task.version || versionOf((target ?? live)?.apiVersion ?? ""),
    kind: task.key.kind,
    namespace: task.key.namespace,
    name: task.key.name,
    ...(task.act === "skip-prune" ? { because: task.because } : {}),
    ...(task.act === "prune" && task.needsConfirmation ? { because: "waits for confirmation" } : {}),
    ...(fields.length > 0
      ? { fields: fields.map(({ path, desired, live: is }) => ({ path, ...texts({ desired, live: is }) })) }
      : {}),
    ...states(shownTarget, shownLive),
  };
}

function texts(values: { desired: unknown; live: unknown }): { desired?: string; live?: string } {
  return {
    ...(values.desired === undefined ? {} : { desired: stringifyJson(values.desired) }),
    ...(values.live === undefined ? {} : { live: stringifyJson(values.live) }),
  };
}

function states(
  target: Manifest | undefined,
  live: Manifest | undefined,
): Pick<SyncPlanStep, "targetState" | "liveState"> {
  return {
    ...(target ? { targetState: stringifyJson(target) } : {}),
    ...(live ? { liveState: stringifyJson(live) } : {}),
  };
}

function actOf(task: SyncTask): SyncPlanStep["act"] {
  if (task.act === "prune") return "delete";
  if (task.act === "skip-prune") return "keep";
  if (task.hook) return "hook";
  if (task.change === "none") return "unchanged";
  return task.change === "update" && task.mode.method === "replace" ? "replace" : task.change;
}

function countSteps(steps: readonly SyncPlanStep[]): SyncPlanPreview["counts"] {
  const counts = { create: 0, update: 0, delete: 0, hook: 0, unchanged: 0 };
  for (const { act } of steps) {
    if (act === "replace") counts.update += 1;
    else if (act !== "keep") counts[act] += 1;
  }
  return counts;
}

function blockers(
  context: Pick<Needs, "live" | "settings" | "controlNamespace" | "clock">,
  app: Application,
  request: SyncRequest,
): string[] {
  const found = (app.status?.conditions ?? []).filter(blocksSync).map(({ message }) => message);
  for (const problem of [syncWindowProblem(context, app), automationProblem(app, request)])
    if (problem) found.push(problem);
  if (app.operation) found.push("another operation is in progress");
  if (app.metadata.deletionTimestamp) found.push("the application is being deleted");
  return found;
}
