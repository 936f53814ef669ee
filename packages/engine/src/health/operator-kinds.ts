import type { HealthStatus, HealthStatusCode, Manifest } from "@capstan/model";
import { healthByCondition } from "./condition-kinds.ts";
import { conditionsOf, fieldsAt, type HealthRule, health, listAt, textOf } from "./health-rule.ts";

const rule = (group: string, kind: string, assess: HealthRule["assess"]): HealthRule => ({
  group,
  kind,
  versions: [],
  assess,
});

/** By name, or by number as protobuf counts them. */
const soloStates: ReadonlyMap<unknown, HealthStatusCode> = new Map<unknown, HealthStatusCode>([
  ["Accepted", "Healthy"],
  [1, "Healthy"],
  ["Warning", "Degraded"],
  [3, "Degraded"],
  ["Rejected", "Degraded"],
  [2, "Degraded"],
  ["Pending", "Suspended"],
  [0, "Suspended"],
]);

/** The newer form has a status for each namespace that holds a controller. */
function solo(live: Manifest): HealthStatus {
  const status = fieldsAt(live, "status");
  const statuses = Object.values(fieldsAt(live, "status", "statuses")).map((one) => fieldsAt({ one }, "one"));
  for (const one of [...statuses, status]) {
    const code = soloStates.get(one.state);
    if (code !== undefined) return health(code, textOf(one.reason));
  }
  return health("Progressing", "Update in progress");
}

/** A resource of a provider: by what was last done to it, then by whether it is there. */
function crossplane(live: Manifest): HealthStatus {
  const synced = conditionsOf(live).find(({ type }) => type === "Synced");
  if (synced?.status === "False") {
    const isPaused = synced.reason === "ReconcilePaused";
    return health(isPaused ? "Suspended" : "Degraded", synced.message || synced.reason);
  }
  const ready = conditionsOf(live).find(({ type }) => type === "Ready");
  return ready?.status === "True"
    ? health("Healthy", ready.reason)
    : health("Progressing", `Waiting for ${live.kind} to be available`);
}

function strimzi(live: Manifest): HealthStatus {
  const conditions = conditionsOf(live);
  const bad = conditions.find(
    ({ type, status, reason }) => type === "NotReady" && status === "True" && reason !== "Creating",
  );
  if (bad) return health("Degraded", bad.message);
  const isReady = conditions.some(({ type, status }) => type === "Ready" && status === "True");
  return isReady ? health("Healthy") : health("Progressing", `Waiting for ${live.kind}`);
}

function rabbit(live: Manifest): HealthStatus {
  for (const { type, status, reason, message } of conditionsOf(live)) {
    if (type !== "Ready") continue;
    if (status === "True" && reason === "SuccessfulCreateOrUpdate") return health("Healthy");
    if (status === "False" && reason === "FailedCreateOrUpdate") return health("Degraded", message);
  }
  return health("Unknown", "Its status is unknown");
}

function keda(live: Manifest): HealthStatus {
  const conditions = conditionsOf(live);
  const find = (type: string, status: string) =>
    conditions.find((one) => one.type === type && one.status === status);
  const bad = find("Fallback", "True") ?? find("Ready", "False");
  if (bad) return health("Degraded", bad.message);
  const ready = find("Ready", "True");
  if (!ready) return health("Progressing", "Creating HorizontalPodAutoscaler Object");
  const paused = find("Paused", "True");
  return paused ? health("Suspended", paused.message) : health("Healthy", ready.message);
}

const postgresPhases: ReadonlyMap<string, HealthStatusCode> = new Map([
  ["Cluster in healthy state", "Healthy"],
  ["Setting up primary", "Progressing"],
  ["Creating a new replica", "Progressing"],
  ["Upgrading cluster", "Progressing"],
  ["Waiting for the instances to become active", "Progressing"],
  ["Promoting to primary cluster", "Progressing"],
  ["Switchover in progress", "Degraded"],
  ["Failing over", "Degraded"],
  ["Upgrading Postgres major version", "Degraded"],
  ["Cluster upgrade delayed", "Degraded"],
  ["Waiting for user action", "Degraded"],
  ["Primary instance is being restarted in-place", "Degraded"],
  ["Primary instance is being restarted without a switchover", "Degraded"],
  ["Cluster cannot execute instance online upgrade due to missing architecture binary", "Degraded"],
  ["Online upgrade in progress", "Degraded"],
  ["Applying configuration", "Degraded"],
  ["Unable to create required cluster objects", "Suspended"],
  ["Cluster cannot proceed to reconciliation due to an unknown plugin being required", "Suspended"],
  ["Cluster has incomplete or invalid image catalog", "Suspended"],
  ["Cluster is unrecoverable and needs manual intervention", "Suspended"],
]);

function cloudNativePg(live: Manifest): HealthStatus {
  if (live.metadata.annotations?.["cnpg.io/reconciliationLoop"] === "disabled")
    return health("Suspended", "Cluster reconciliation is suspended");
  const { phase, phaseReason } = fieldsAt(live, "status");
  const conditions = conditionsOf(live);
  if (conditions.length === 0) return health("Progressing", textOf(phaseReason));
  const asleep = conditions.find(({ type }) => type === "cnpg.io/hibernation");
  if (asleep) return health(asleep.status === "True" ? "Suspended" : "Degraded", asleep.message);
  return health(postgresPhases.get(textOf(phase)) ?? "Unknown", textOf(phaseReason));
}

function machineDeployment(live: Manifest): HealthStatus {
  if (fieldsAt(live, "spec").paused === true) return health("Suspended", "MachineDeployment is paused");
  const phase = textOf(fieldsAt(live, "status").phase);
  if (phase === "Running") return health("Healthy", "Machines are running under this deployment");
  return health(phase === "Failed" ? "Degraded" : "Progressing", phase || "Waiting for machines");
}

/** Conditions of a Gateway, of one of its listeners, or of a route's parent. */
function attached(conditions: readonly { [field: string]: unknown }[]): HealthStatus | undefined {
  for (const type of ["ResolvedRefs", "Accepted"]) {
    const bad = conditions.find((one) => one.type === type && one.status === "False");
    if (bad) return health("Degraded", textOf(bad.message) || `Failed condition: ${type}`);
  }
  const waiting = conditions.find((one) => one.type === "Programmed" && one.status !== "True");
  return waiting && health("Progressing", textOf(waiting.message) || "It is still being programmed");
}

function gateway(live: Manifest): HealthStatus {
  const conditions = listAt(live, "status", "conditions");
  const listeners = listAt(live, "status", "listeners");
  const bad =
    attached(conditions) ?? listeners.map((one) => attached(listAt(one, "conditions"))).find((one) => one);
  if (bad) return bad;
  return conditions.length + listeners.length > 0
    ? health("Healthy", "Gateway is healthy")
    : health("Progressing", "Waiting for Gateway status");
}

/** Parents whose conditions are of an older specification tell nothing. */
function route(live: Manifest): HealthStatus {
  const { generation } = live.metadata;
  const parents = listAt(live, "status", "parents")
    .map((parent) => listAt(parent, "conditions"))
    .filter((conditions) => conditions.length > 0)
    .filter((conditions) =>
      conditions.every(
        ({ observedGeneration: seen }) =>
          generation === undefined || seen === undefined || seen === generation,
      ),
    );
  const bad = parents.map(attached).find((one) => one);
  if (bad) return bad;
  return parents.length > 0
    ? health("Healthy", `${live.kind} is healthy`)
    : health("Progressing", `Waiting for ${live.kind} status`);
}

const rulesFor = (group: string, kinds: readonly string[], assess: HealthRule["assess"]): HealthRule[] =>
  kinds.map((kind) => rule(group, kind, assess));

/** resource_customizations of Argo CD 3.6. */
export const operatorRules: readonly HealthRule[] = [
  ...rulesFor(
    "gateway.solo.io",
    ["Gateway", "MatchableHttpGateway", "RouteOption", "RouteTable", "VirtualHostOption", "VirtualService"],
    solo,
  ),
  ...rulesFor("gloo.solo.io", ["Proxy", "Settings", "Upstream", "UpstreamGroup"], solo),
  ...rulesFor("rds.aws.crossplane.io", ["DBCluster", "DBInstance"], crossplane),
  ...rulesFor("cloudfront.aws.crossplane.io", ["Distribution"], crossplane),
  ...rulesFor("route53.aws.crossplane.io", ["ResourceRecordSet"], crossplane),
  ...rulesFor("s3.aws.crossplane.io", ["Bucket"], crossplane),
  ...rulesFor("iam.aws.crossplane.io", ["Policy", "Role", "RolePolicyAttachment"], crossplane),
  ...rulesFor(
    "kafka.strimzi.io",
    ["Kafka", "KafkaBridge", "KafkaConnect", "KafkaConnector", "KafkaTopic", "KafkaUser"],
    strimzi,
  ),
  ...rulesFor(
    "rabbitmq.com",
    ["Binding", "Exchange", "Permission", "Policy", "Queue", "Shovel", "User", "Vhost"],
    rabbit,
  ),
  rule("keda.sh", "ScaledObject", keda),
  rule("postgresql.cnpg.io", "Cluster", cloudNativePg),
  rule("cluster.x-k8s.io", "MachineDeployment", machineDeployment),
  rule("gateway.networking.k8s.io", "Gateway", gateway),
  ...rulesFor("gateway.networking.k8s.io", ["GRPCRoute", "HTTPRoute"], route),
  rule("source.toolkit.fluxcd.io", "HelmRepository", (live) =>
    // An OCI repository has no status of its own.
    fieldsAt(live, "spec").type === "oci"
      ? health("Healthy")
      : healthByCondition(live, { type: "Ready", what: "HelmRepository" }),
  ),
];
