import {
  type ApplicationPlan,
  applicationNamespaces,
  controllerOf,
  type DiffRules,
  defaultDiffRules,
  type ElementMemory,
  type GeneratedApplication,
  isApplicationNamespace,
  judgeDeletions,
  needsJq,
  permitsNamespace,
  planApplications,
  type RemovalVerdict,
  readSetPolicy,
  type SetPolicy,
  wantsRollingSync,
  withoutAutoSync,
} from "@capstan/engine";
import type { Clock } from "@capstan/flow";
import { clusterFor, type LiveState, type Settings } from "@capstan/kube";
import {
  type Application,
  type ApplicationSet,
  type AppProject,
  CapstanError,
  deletionBudgetOf,
  isCapstanError,
  isLiveApplication,
  type Manifest,
  messageOf,
  projectOf,
} from "@capstan/model";
import { digestOf } from "../digest-of.ts";
import type { JqDeletions, RuleUse } from "../jq-deletions.ts";

export interface SetPlanNeeds {
  /** Of Capstan's own cluster. */
  readonly live: Pick<LiveState, "get" | "children">;
  readonly settings: { readonly current: Settings };
  readonly clock: Pick<Clock, "now">;
  readonly controlNamespace: string;
  /** With what global projects add to it. */
  findProject(name: string): AppProject | undefined;
  /** For what a set ignores by expressions. */
  readonly jq: Pick<JqDeletions, "settled">;
}

export interface SetPlan extends ApplicationPlan {
  /** Whether all that leaves, of whatever is looked at, may go at once. */
  readonly deletions: RemovalVerdict;
  /** Deletions that wait until they are allowed; they are not among `changes`. */
  readonly held: ApplicationPlan["changes"];
}

interface PlanSetInput {
  readonly set: ApplicationSet;
  readonly generated: readonly GeneratedApplication[];
  /** Only Applications of these names are looked at; default: all. */
  readonly only?: ReadonlySet<string> | undefined;
  readonly memory?: ElementMemory;
}

/**
 * What is done for a set, for the controller and for whoever only wants to see it. Rejects with CapstanError where what
 * it ignores cannot be told: nothing is compared then.
 */
export async function planSet(
  needs: SetPlanNeeds,
  input: PlanSetInput,
  signal: AbortSignal,
): Promise<SetPlan> {
  const { metadata, spec } = input.set;
  const { ignoreApplicationDifferences: rules = [] } = spec;
  if (!needsJq(rules)) return planBy(needs, input);
  const use: RuleUse = {
    asker: `ApplicationSet ${metadata.namespace ?? needs.controlNamespace}/${metadata.name}`,
    rules: {
      ...defaultDiffRules,
      ignoreDifferences: rules.map(({ jqPathExpressions = [] }) => ({
        kind: "Application",
        jqPathExpressions,
      })),
    },
    own: rules.length,
    place: { what: "the ApplicationSet", field: "spec.ignoreApplicationDifferences" },
  };
  // What is as it should be is not remembered: until all is known, some of it only seems so.
  const { memory: _, ...rest } = input;
  return needs.jq.settled(use, ({ deleteByJq }) => planBy(needs, { ...rest, deleteByJq }), signal);
}

function planBy(
  needs: SetPlanNeeds,
  { set, generated, only, memory, deleteByJq }: PlanSetInput & { deleteByJq?: DiffRules["deleteByJq"] },
): SetPlan {
  const { live, settings, clock, controlNamespace } = needs;
  const namespace = set.metadata.namespace ?? controlNamespace;
  const owned = ownedBy(live, set);
  const isRolling = isRollingSet(settings.current, set);
  const plan = planApplications({
    set,
    generated: isRolling ? syncedBySet(generated) : generated,
    owned,
    find: (name) => {
      const found = live.get({ group: "argoproj.io", kind: "Application", namespace, name });
      return isLiveApplication(found) ? found : undefined;
    },
    policy: setPolicyOf(settings.current, set),
    preserved: {
      annotations: listedParam(settings.current, "applicationsetcontroller.global.preserved.annotations"),
      labels: listedParam(settings.current, "applicationsetcontroller.global.preserved.labels"),
    },
    problemOf: onceForEach((application) => problemOf(needs, application)),
    isReachable: (application) => destinationProblem(needs, application) === undefined,
    only,
    deleteByJq,
    ...(memory ? { memory } : {}),
  });
  const deletions = judgeDeletions({
    set,
    plan,
    owned: owned.length,
    budget: deletionBudgetOf(set, settings.current.general.deletionBudget),
    nowMs: clock.now(),
    digestOf,
  });
  const isHeld = ({ kind }: ApplicationPlan["changes"][number]) =>
    deletions.kind === "held" && kind === "delete";
  return {
    ...plan,
    changes: plan.changes.filter((change) => !isHeld(change)),
    deletions,
    held: plan.changes.filter(isHeld),
  };
}

/** What was made is the same object while nothing of its element changes, and so is this: it is not compared anew. */
const setSynced = new WeakMap<Application, Application>();
const allSetSynced = new WeakMap<readonly GeneratedApplication[], readonly GeneratedApplication[]>();

function syncedBySet(generated: readonly GeneratedApplication[]): readonly GeneratedApplication[] {
  const known = allSetSynced.get(generated);
  if (known) return known;
  const made = generated.map((one) => {
    const application = setSynced.get(one.application) ?? withoutAutoSync(one.application);
    setSynced.set(one.application, application);
    return { ...one, application };
  });
  allSetSynced.set(generated, made);
  return made;
}

/** Whether the set starts the syncs of its Applications, step by step: where it asks for it, and the operator lets sets. */
export function isRollingSet({ params }: Pick<Settings, "params">, set: ApplicationSet): boolean {
  return params["applicationsetcontroller.enable.progressive.syncs"] === "true" && wantsRollingSync(set);
}

/** Many Applications are of one project, and go to one place: whether that can be is found out once. */
function onceForEach(judge: (application: Application) => string | undefined): typeof judge {
  const known = new Map<string, string | undefined>();
  return (application) => {
    const { server, name } = application.spec.destination;
    const about = JSON.stringify([projectOf(application), application.metadata.namespace, server, name]);
    if (!known.has(about)) known.set(about, judge(application));
    return known.get(about);
  };
}

/** Applications of the set's namespace that it controls. */
export function ownedBy(
  live: Pick<LiveState, "children">,
  { metadata: { uid } }: ApplicationSet,
): (Manifest & Application)[] {
  if (!uid) return [];
  const owned: (Manifest & Application)[] = [];
  for (const one of live.children(uid))
    if (isLiveApplication(one) && controllerOf(one)?.uid === uid) owned.push(one);
  return owned;
}

export function setPolicyOf({ params }: Pick<Settings, "params">, set: ApplicationSet): SetPolicy {
  const override = params["applicationsetcontroller.enable.policy.override"];
  return readSetPolicy(set, {
    policy: params["applicationsetcontroller.policy"] ?? "",
    mayOverride: override === undefined || override === "" ? undefined : override === "true",
  });
}

/** Texts with commas between, of argocd-cmd-params-cm. */
function listedParam({ params }: Pick<Settings, "params">, name: string): string[] {
  return applicationNamespaces(params[name]);
}

function problemOf(needs: SetPlanNeeds, application: Application): string | undefined {
  const { controlNamespace } = needs;
  const name = projectOf(application);
  const project = needs.findProject(name);
  if (!project) return `application references project ${name} which does not exist`;
  const namespace = application.metadata.namespace ?? controlNamespace;
  if (!permitsNamespace(project, namespace, controlNamespace))
    return new CapstanError({ code: "NAMESPACE_FORBIDDEN", project: name, namespace }).message;
  const problem = destinationProblem(needs, application);
  return problem === undefined ? undefined : `application destination spec is invalid: ${problem}`;
}

function destinationProblem({ settings }: SetPlanNeeds, { spec }: Application): string | undefined {
  try {
    clusterFor(settings.current, spec.destination);
    return undefined;
  } catch (error) {
    if (!isCapstanError(error)) throw error;
    return messageOf(error);
  }
}

/**
 * Whether sets of a namespace count: those of the control namespace, and of what the operator names both for sets and
 * for Applications, since what a set makes stands beside it.
 */
export function isSetNamespace(
  { settings, controlNamespace }: Pick<SetPlanNeeds, "settings" | "controlNamespace">,
  namespace: string,
): boolean {
  const { params } = settings.current;
  const isIn = (setting: string | undefined) =>
    isApplicationNamespace(namespace, { controlNamespace, setting });
  return isIn(params["applicationsetcontroller.namespaces"]) && isIn(params["application.namespaces"]);
}
