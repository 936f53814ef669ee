import { parseBoolean } from "@capstan/formats";

/** Keys that the system reads and writes on applications and on the objects it manages (Argo CD: common/common.go). */

const prefix = "argocd.argoproj.io/";

export const annotationKeys = {
  refresh: `${prefix}refresh`,
  refreshTimestamp: `${prefix}refresh-timestamp`,
  hydrate: `${prefix}hydrate`,
  manifestGeneratePaths: `${prefix}manifest-generate-paths`,
  skipReconcile: `${prefix}skip-reconcile`,
  deletionApproved: `${prefix}deletion-approved`,
  compareOptions: `${prefix}compare-options`,
  clientSideApplyMigrationManager: `${prefix}client-side-apply-migration-manager`,
  managedByUrl: `${prefix}managed-by-url`,
  trackingId: `${prefix}tracking-id`,
  installationId: `${prefix}installation-id`,
  syncWave: `${prefix}sync-wave`,
  hook: `${prefix}hook`,
  hookDeletePolicy: `${prefix}hook-delete-policy`,
  syncOptions: `${prefix}sync-options`,
  ignoreHealthcheck: `${prefix}ignore-healthcheck`,
  ignoreRestartPolicy: `${prefix}ignore-restart-policy`,
  ignoreResourceUpdates: `${prefix}ignore-resource-updates`,
  ignoreDefaultLinks: `${prefix}ignore-default-links`,
  applicationSetRefresh: `${prefix}application-set-refresh`,
  /** On a Service with a plugin whose server does not tell its name (Capstan's own). */
  pluginName: `${prefix}plugin-name`,
  pluginVersion: `${prefix}plugin-version`,
  pluginPlaintext: `${prefix}plugin-plaintext`,
  pluginAuthority: `${prefix}plugin-ca`,
  /** On an AppProject: the secret stores that its applications may use. */
  secretStores: "capstan.dev/secret-stores",
  /** On an Application or an AppProject: how much one sync may prune. */
  pruneBudget: "capstan.dev/prune-budget",
  /** On an Application: what may be pruned once beyond that. */
  pruneAllowed: "capstan.dev/prune-allowed",
  /** On an ApplicationSet: how many of its Applications it may delete at once. */
  deletionBudget: "capstan.dev/deletion-budget",
  /** On an ApplicationSet: what may be deleted once beyond that. */
  deletionAllowed: "capstan.dev/deletion-allowed",
  /** On an Application: others of its project that its syncs wait for. */
  dependsOn: "capstan.dev/depends-on",
  /** On an Application, while controllers share them: which one does its operation. */
  operatedBy: "capstan.dev/operated-by",
  /** On an Application: its images are to be looked for at once, whatever is known of their registries. */
  imageUpdates: "capstan.dev/image-updates-refresh",
  /** On an Application, beside a request for a refresh: the trace that goes on with it, as W3C's traceparent. */
  traceparent: "capstan.dev/traceparent",
  /** On a hook: the operation, its attempt and the phase that it was made for. */
  hookOf: "capstan.dev/hook-of",
  /** "true" on the Secret of the cluster that Capstan runs on: its project has it by name alone. */
  clusterByName: "capstan.dev/cluster-by-name",
  managedBy: "managed-by",
  helmHook: "helm.sh/hook",
  helmHookDeletePolicy: "helm.sh/hook-delete-policy",
  helmHookWeight: "helm.sh/hook-weight",
  helmResourcePolicy: "helm.sh/resource-policy",
  lastApplied: "kubectl.kubernetes.io/last-applied-configuration",
} as const;

/** The Secret with the token for a plugin's Service, by its name; its label `secret-type` says plugin-token. */
export function pluginTokenSecret(service: string): string {
  return `${service}-token`;
}

export const labelKeys = {
  instance: "app.kubernetes.io/instance",
  secretType: `${prefix}secret-type`,
  partOf: "app.kubernetes.io/part-of",
  /** "true" on a Service with a plugin. */
  plugin: `${prefix}plugin`,
} as const;

export const finalizers = {
  resources: "resources-finalizer.argocd.argoproj.io",
  resourcesForeground: "resources-finalizer.argocd.argoproj.io/foreground",
  resourcesBackground: "resources-finalizer.argocd.argoproj.io/background",
  preDelete: "pre-delete-finalizer.argocd.argoproj.io",
  preDeleteCleanup: "pre-delete-finalizer.argocd.argoproj.io/cleanup",
  postDelete: "post-delete-finalizer.argocd.argoproj.io",
  postDeleteCleanup: "post-delete-finalizer.argocd.argoproj.io/cleanup",
  hook: `${prefix}hook-finalizer`,
} as const;

/** Field manager and owner of everything that we apply; Argo CD's name, so that ownership carries over. */
export const fieldManager = "argocd-controller";

export const inClusterServer = "https://kubernetes.default.svc";
export const inClusterName = "in-cluster";

/** Whether an Application, or a cluster by its Secret, is to be left alone (controller/appcontroller.go canProcessApp). */
export function isSkipped(annotations: Readonly<Record<string, string>> | undefined): boolean {
  return parseBoolean(annotations?.[annotationKeys.skipReconcile] ?? "") === true;
}
