import {
  type ComparedResource,
  type DiffRules,
  diffManifest,
  printPlan,
  type SyncTask,
} from "@capstan/engine";
import { runLimited } from "@capstan/flow";
import { formatTime, stringifyJson } from "@capstan/formats";
import {
  type Application,
  blocksSync,
  keyText,
  type Manifest,
  type Operation,
  operationSources,
  projectOf,
  pruneBudgetOf,
  versionOf,
} from "@capstan/model";
import { operationRevisions, planOperation } from "@capstan/planning";
import type { SyncPlanPreview, SyncPlanRequest, SyncPlanStep, SyncRequest } from "@capstan/wire";
import type { HandlerOf, Identity } from "../../call.ts";
import { requireRules } from "../access/find-project.ts";
import type { ApiContext } from "../context.ts";
import { type ComparedApplication, type CompareNeeds, compareApplication } from "./compare-application.ts";
import { findApplication } from "./find-application.ts";
import { type Prediction, predictOrTell } from "./predict-or-tell.ts";
import { rollbackOperation } from "./rollback-application.ts";
import { automationProblem, syncOperation } from "./sync-application.ts";
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
  request: Named & SyncPlanRequest,
  { user, signal }: { user: Identity; signal: AbortSignal },
): Promise<SyncPlanPreview> {
  const app = await findApplication(context, { request, user, action: "get", signal });
  const operation = await readOperation(context, app, { request, user, signal });
  const sources = operationSources(app, operation);
  const compared = await compareApplication(context, app, {
    sources,
    revisions: operationRevisions({ operation }),
    manifests: operation.sync?.manifests,
    signal,
  });
  const { desired, comparison, cluster, mayShow } = compared;
  const [revision = ""] = desired.revisions;
  const startedAt = formatTime(context.clock.now());
  const project = requireRules(context, projectOf(app));
  const pruneBudget = pruneBudgetOf(app, project, context.settings.current.general.pruneBudget);
  const input = { app, operation, startedAt, revision, cluster, comparison, pruneBudget, mayShow };
  const { plan, refusal, ruleUse } = await planOperation(context, input, signal);
  const predicted = await predictUpdates(context, { tasks: plan.tasks, cluster, signal });
  const byKey = new Map(comparison.resources.map((resource) => [keyText(resource.key), resource]));
  const describe = (rules: DiffRules) =>
    plan.tasks.map((task) =>
      describeStep(task, byKey.get(keyText(task.key)), {
        ...compared,
        rules,
        prediction: predicted.get(task),
      }),
    );
  const steps = await context.scripts.jq.settled(ruleUse, describe, signal);
  return {
    revision,
    ...(sources.length > 1 ? { revisions: [...desired.revisions] } : {}),
    steps,
    counts: countSteps(steps),
    blockedBy: [
      ...blockers(context, app, request),
      ...desired.unverified,
      ...(refusal === undefined ? [] : [refusal.message]),
      ...plan.problems.map(({ message }) => message),
    ],
    warnings: comparison.conditions.map(({ message }) => message),
    ...(plan.prunes.kind === "held"
      ? { heldPrunes: { code: plan.prunes.code, message: plan.prunes.message } }
      : {}),
    text: printPlan(plan),
  };
}

interface Asked {
  request: SyncPlanRequest;
  user: Identity;
  signal: AbortSignal;
}

/** What a sync would start with: the newest, what the request names, or what the history holds. */
async function readOperation(
  context: Needs,
  app: Application,
  { request, user, signal }: Asked,
): Promise<Operation> {
  const { historyId: id, ...sync } = request;
  if (id === undefined) return syncOperation(context, app, { request: sync, user, signal });
  return rollbackOperation(app, { ...sync, id }, user.name);
}

const dryRunsAtOnce = 10;
/** More of them keep whoever waits for the plan; those show what git says. */
const mostDryRuns = 200;

interface Predicting {
  tasks: readonly SyncTask[];
  cluster: ComparedApplication["cluster"];
  signal: AbortSignal;
}

/** What each change would make of its object: git's text alone would show every default as taken away. */
async function predictUpdates(
  { clock }: Pick<Needs, "clock">,
  { tasks, cluster: { client }, signal }: Predicting,
): Promise<Map<SyncTask, Prediction>> {
  const found = new Map<SyncTask, Prediction>();
  const updates = tasks.filter((task) => actOf(task) === "update");
  for (const task of updates.slice(mostDryRuns))
    found.set(task, { refusal: `it is asked for ${mostDryRuns} objects of a plan at most` });
  await runLimited(updates.slice(0, mostDryRuns), dryRunsAtOnce, async (task) => {
    if (task.act !== "apply" || !task.live) return;
    const { target, live, mode } = task;
    found.set(task, await predictOrTell({ client, clock }, { target, live, mode }, signal));
  });
  return found;
}

interface StepFacts extends ComparedApplication {
  rules: DiffRules;
  prediction: Prediction | undefined;
}

function describeStep(
  task: SyncTask,
  compared: ComparedResource | undefined,
  { rules, secrets, cluster, prediction }: StepFacts,
): SyncPlanStep {
  const predicted = prediction?.object;
  const target = task.act === "apply" ? task.target : undefined;
  const live = task.live ?? compared?.live;
  const [shownTarget, shownLive, shownPredicted] = secrets.hide([target, live, predicted], cluster.live);
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
    ...(prediction?.refusal !== undefined && { unpredicted: prediction.refusal }),
    ...states({ targetState: shownTarget, liveState: shownLive, predictedLiveState: shownPredicted }),
  };
}

function texts(values: { desired: unknown; live: unknown }): { desired?: string; live?: string } {
  return {
    ...(values.desired === undefined ? {} : { desired: stringifyJson(values.desired) }),
    ...(values.live === undefined ? {} : { live: stringifyJson(values.live) }),
  };
}

type States = "targetState" | "liveState" | "predictedLiveState";

function states(objects: Record<States, Manifest | undefined>): Pick<SyncPlanStep, States> {
  const known = Object.entries(objects).filter(([, object]) => object !== undefined);
  return Object.fromEntries(known.map(([name, object]) => [name, stringifyJson(object)]));
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
  for (const problem of [
    syncWindowProblem(context, app),
    request.dryRun ? undefined : automationProblem(app, request),
  ])
    if (problem) found.push(problem);
  if (app.operation) found.push("another operation is in progress");
  if (app.metadata.deletionTimestamp) found.push("the application is being deleted");
  return found;
}
