import type { HealthStatus, HealthStatusCode, Manifest } from "@capstan/model";
import { isOfOlderSpec } from "./condition-kinds.ts";
import { conditionsOf, countOf, fieldsAt, type HealthRule, health, listAt, textOf } from "./health-rule.ts";

const codes: ReadonlyMap<string, HealthStatusCode> = new Map([
  ["Healthy", "Healthy"],
  ["Progressing", "Progressing"],
  ["Degraded", "Degraded"],
  ["Paused", "Suspended"],
]);

/** Of Argo Rollouts 1.0 and later, which says its phase. */
export const rollout: HealthRule = {
  group: "argoproj.io",
  kind: "Rollout",
  versions: [],
  assess(live) {
    const status = fieldsAt(live, "status");
    if (!isSeen(live)) return health("Progressing", "Waiting for rollout spec update to be observed");
    if (status.phase !== undefined)
      return health(codes.get(textOf(status.phase)) ?? "Unknown", textOf(status.message));
    return withoutPhase(live);
  },
};

/** The generation that was seen; a controller before 0.10 wrote a hash there. */
function isSeen(live: Manifest): boolean {
  if (live.status === undefined) return false;
  const { observedGeneration, workloadObservedGeneration } = fieldsAt(live, "status");
  const generation = Number(live.metadata.generation ?? 0);
  const seen = numberOf(observedGeneration);
  if (seen !== undefined && seen < generation) return false;
  const { annotations } = live.metadata;
  if (fieldsAt(live, "spec").workloadRef === undefined || annotations === undefined) return true;
  const wanted = annotations["rollout.argoproj.io/workload-generation"];
  return numberOf(wanted) === numberOf(workloadObservedGeneration);
}

function numberOf(value: unknown): number | undefined {
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof number === "number" && !Number.isNaN(number) ? number : undefined;
}

function withoutPhase(live: Manifest): HealthStatus {
  const failed = conditionsOf(live).find(
    ({ type, reason }) =>
      type === "InvalidSpec" ||
      (type === "Progressing" && (reason === "RolloutAborted" || reason === "ProgressDeadlineExceeded")),
  );
  if (failed) return health("Degraded", failed.message);
  const status = fieldsAt(live, "status");
  if (listAt(live, "status", "pauseConditions").length > 0 || fieldsAt(live, "spec").paused === true)
    return health("Suspended", "Rollout is paused");
  if (status.currentPodHash === undefined)
    return health("Progressing", "Waiting for rollout to finish: status has not been reconciled.");
  return byReplicas(live) ?? byStrategy(live);
}

function byReplicas(live: Manifest): HealthStatus | undefined {
  const { updatedReplicas, availableReplicas } = fieldsAt(live, "status");
  const updated = countOf(updatedReplicas);
  if (updated < countOf(fieldsAt(live, "spec").replicas, 1))
    return health("Progressing", "Waiting for roll out to finish: More replicas need to be updated");
  if (countOf(availableReplicas) < updated)
    return health(
      "Progressing",
      "Waiting for roll out to finish: updated replicas are still becoming available",
    );
  return undefined;
}

function byStrategy(live: Manifest): HealthStatus {
  const status = fieldsAt(live, "status");
  const stable = status.stableRS ?? fieldsAt(live, "status", "canary").stableRS ?? "";
  const strategy = fieldsAt(live, "spec", "strategy");
  const active = fieldsAt(live, "status", "blueGreen").activeSelector;
  if (strategy.blueGreen !== undefined && active !== status.currentPodHash)
    return health("Progressing", "active service cutover pending");
  const replicas = countOf(status.replicas);
  if (strategy.blueGreen === undefined && stable !== "" && replicas > countOf(status.updatedReplicas))
    return health("Progressing", "Waiting for roll out to finish: old replicas are pending termination");
  return health("Healthy");
}

/** What the condition Ready of a kind of GitOps Promoter keeps from being well; undefined: nothing does. */
function notReady(live: Manifest): HealthStatus | undefined {
  if (live.metadata.deletionTimestamp) return health("Progressing", `${live.kind} is being deleted`);
  const condition = conditionsOf(live).find(({ type }) => type === "Ready");
  if (!condition) return health("Progressing", `${live.kind} is not ready yet`);
  if (isOfOlderSpec(live, "Ready"))
    return health("Progressing", `Waiting for ${live.kind} spec update to be observed`);
  const { status, reason, message } = condition;
  if (status === "False")
    return health("Degraded", reason === "ReconciliationError" ? message : `${reason}: ${message}`);
  return status === "Unknown" ? health("Progressing", `${reason}: ${message}`) : undefined;
}

function promoter(kind: string, judge: (live: Manifest) => HealthStatus): HealthRule {
  return {
    group: "promoter.argoproj.io",
    kind,
    versions: [],
    assess: (live) => notReady(live) ?? judge(live),
  };
}

/** Each branch is judged by itself. */
function byEnvironments(live: Manifest): HealthStatus {
  const environments = listAt(live, "status", "environments");
  const named = (isWanted: (phase: unknown) => boolean) =>
    environments
      .filter(({ phase }) => isWanted(phase))
      .map(({ branch }) => textOf(branch))
      .join(", ");
  const failed = named((phase) => phase === "failure");
  if (failed !== "") return health("Degraded", `Failed for ${failed}`);
  const pending = named((phase) => phase !== "success");
  return pending === "" ? health("Healthy") : health("Progressing", `Pending for ${pending}`);
}

/** Whether what is proposed has become active. */
function byPromotion(live: Manifest): HealthStatus {
  const [active, proposed] = ["active", "proposed"].map((side) => fieldsAt(live, "status", side, "dry").sha);
  return active === proposed
    ? health("Healthy", "The environment is up-to-date")
    : health("Progressing", "A promotion is under way");
}

function proposedOf(environment: unknown): string {
  return (
    textOf(fieldsAt(environment, "proposed", "note").drySha) ||
    textOf(fieldsAt(environment, "proposed", "dry").sha)
  );
}

function byStages(live: Manifest): HealthStatus {
  const environments = listAt(live, "status", "environments");
  if (environments.length === 0) return health("Degraded", "No environments are configured");
  const shas = environments.map((one) => ({
    active: textOf(fieldsAt(one, "active", "dry").sha),
    proposed: textOf(fieldsAt(one, "proposed", "dry").sha),
    wanted: proposedOf(one),
  }));
  if (shas.some(({ active, wanted }) => active === "" || wanted === ""))
    return health("Progressing", "A commit is not known yet for every environment");
  if (shas.some(({ wanted }) => wanted !== shas[0]?.wanted))
    return health("Progressing", "Not all environments have the same proposed commit");
  return shas.some(({ active, proposed }) => active !== proposed)
    ? health("Progressing", "A promotion is under way")
    : health("Healthy", "All environments are up-to-date");
}

const well = (): HealthStatus => health("Healthy");

export const promoterRules: readonly HealthRule[] = [
  ...["ClusterScmProvider", "CommitStatus", "GitRepository", "PullRequest", "ScmProvider"].map((kind) =>
    promoter(kind, well),
  ),
  promoter("ArgoCDCommitStatus", (live) =>
    listAt(live, "status", "applicationsSelected").length > 0
      ? health("Healthy")
      : health("Degraded", "No applications are configured"),
  ),
  promoter("TimedCommitStatus", byEnvironments),
  promoter("GitCommitStatus", byEnvironments),
  promoter("WebRequestCommitStatus", byEnvironments),
  promoter("ChangeTransferPolicy", byPromotion),
  promoter("PromotionStrategy", byStages),
];
