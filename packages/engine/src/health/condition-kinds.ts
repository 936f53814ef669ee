import type { HealthStatus, Manifest } from "@capstan/model";
import { conditionsOf, type HealthRule, health, listAt } from "./health-rule.ts";

interface Parts {
  /** The condition that tells. */
  type: string;
  what: string;
}

/** Has the controller said so about an older specification? */
export function isOfOlderSpec(live: Manifest, condition: string): boolean {
  const found = listAt(live, "status", "conditions").find(({ type }) => type === condition);
  const { generation } = live.metadata;
  const seen = found?.observedGeneration;
  return typeof seen === "number" && typeof generation === "number" && seen !== generation;
}

/** True is well, False is not, anything else is under way. */
export function healthByCondition(live: Manifest, { type, what }: Parts): HealthStatus {
  const condition = conditionsOf(live).find((one) => one.type === type);
  if (!condition) return health("Progressing", `Waiting for ${what}`);
  const message = condition.message || condition.reason;
  if (condition.status === "True") return health("Healthy", message);
  if (condition.status === "False") return health("Degraded", message);
  return health("Progressing", message);
}

function byCondition(group: string, kind: string, type = "Ready"): HealthRule {
  return { group, kind, versions: [], assess: (live) => healthByCondition(live, { type, what: kind }) };
}

const flux: readonly (readonly [group: string, kinds: readonly string[]])[] = [
  ["helm.toolkit.fluxcd.io", ["HelmRelease"]],
  ["kustomize.toolkit.fluxcd.io", ["Kustomization"]],
  ["image.toolkit.fluxcd.io", ["ImagePolicy", "ImageRepository", "ImageUpdateAutomation"]],
  ["notification.toolkit.fluxcd.io", ["Receiver"]],
  ["source.toolkit.fluxcd.io", ["Bucket", "GitRepository", "HelmChart", "OCIRepository"]],
];

const ready: readonly (readonly [group: string, kinds: readonly string[]])[] = [
  ...flux,
  ["astra.netapp.io", ["Application"]],
  ["camel.apache.org", ["Integration"]],
  ["capabilities.3scale.net", ["Tenant"]],
  ["cert-manager.io", ["ClusterIssuer", "Issuer"]],
  ["certmanager.k8s.io", ["Certificate", "Issuer"]],
  ["external-secrets.io", ["ClusterSecretStore", "ExternalSecret", "PushSecret", "SecretStore"]],
  ["karpenter.k8s.aws", ["EC2NodeClass"]],
  ["karpenter.sh", ["NodePool"]],
  ["kyverno.io", ["Policy"]],
  ["onepassword.com", ["OnePasswordItem"]],
  ["serving.knative.dev", ["Service"]],
];

/** Kinds of which one condition tells everything (resource_customizations of Argo CD 3.6). */
export const conditionRules: readonly HealthRule[] = [
  ...ready.flatMap(([group, kinds]) => kinds.map((kind) => byCondition(group, kind))),
  byCondition("addons.cluster.x-k8s.io", "ClusterResourceSet", "ResourcesApplied"),
  byCondition("argoproj.io", "EventBus", "Deployed"),
  byCondition("bitnami.com", "SealedSecret", "Synced"),
  byCondition("datadoghq.com", "DatadogMetric", "Valid"),
  byCondition("grafana.integreatly.org", "GrafanaDashboard", "DashboardSynchronized"),
  byCondition("grafana.integreatly.org", "GrafanaFolder", "FolderSynchronized"),
  byCondition("k8s.mariadb.com", "Backup", "Complete"),
  byCondition("monitoring.coreos.com", "Prometheus", "Available"),
];

/** While a certificate is being issued that it is not ready is no failure. */
export const certificate: HealthRule = {
  group: "cert-manager.io",
  kind: "Certificate",
  versions: [],
  assess(live) {
    const issuing = conditionsOf(live).find(({ type, status }) => type === "Issuing" && status === "True");
    if (issuing) return health("Progressing", issuing.message);
    return healthByCondition(live, { type: "Ready", what: "certificate" });
  },
};
