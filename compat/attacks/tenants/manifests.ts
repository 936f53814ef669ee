import type { Dice } from "../../dice.ts";

type Fields = Record<string, unknown>;

/** Where a tenant puts things: mostly his own, often what is not. */
export const namespaces = [
  ...["team-a", "team-a", "team-b", undefined, undefined],
  ...["rival-a", "rival-b", "kube-system", "argocd", "default", "team-", "Rival-a", "../rival-a"],
] as const satisfies readonly (string | undefined)[];

const kinds: readonly [Kind, ...Kind[]] = [
  { apiVersion: "v1", kind: "ConfigMap", fields: () => ({ data: { from: "a tenant" } }) },
  { apiVersion: "v1", kind: "ConfigMap", fields: () => ({ data: { from: "a tenant" } }) },
  { apiVersion: "v1", kind: "Secret", fields: () => ({ stringData: { from: "a tenant" } }) },
  { apiVersion: "v1", kind: "ServiceAccount", fields: () => ({}) },
  { apiVersion: "v1", kind: "Namespace", fields: () => ({}) },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    fields: () => binding("ClusterRole", "cluster-admin"),
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    fields: () => binding("ClusterRole", "admin"),
  },
  {
    apiVersion: "batch/v1",
    kind: "Job",
    fields: () => ({
      spec: {
        template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox" }] } },
      },
    }),
  },
  { apiVersion: "argoproj.io/v1alpha1", kind: "AppProject", fields: () => ({ spec: everything }) },
  {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    fields: () => ({
      spec: { project: "default", source: { repoURL: "x" }, destination: { namespace: "rival-a" } },
    }),
  },
];

interface Kind {
  apiVersion: string;
  kind: string;
  fields: () => Fields;
}

/** Names that are taken in other namespaces, and own ones. */
export const names = ["treasure", "plans", "argocd-rbac-cm", "argocd-secret", "default", "mine"] as const;

const everything = {
  sourceRepos: ["*"],
  destinations: [{ server: "*", namespace: "*" }],
  clusterResourceWhitelist: [{ group: "*", kind: "*" }],
};

function binding(kind: string, name: string): Fields {
  return {
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name },
    subjects: [{ kind: "User", name: "alice", apiGroup: "rbac.authorization.k8s.io" }],
  };
}

const hooks = [
  ...["PreSync", "Sync", "PostSync", "SyncFail", "Skip", "PreDelete", "PostDelete", "PreSync,PostDelete"],
] as const;

/** Of these a project permits its own. */
const permittedKinds = ["ConfigMap", "Secret", "ServiceAccount", "RoleBinding", "Job"];

/**
 * One document of a repository that a tenant wrote; with `isModest` of a kind and in a namespace that he may use, so
 * that what is applied with it is, with any hooks, options and annotations.
 */
export function randomManifest(dice: Dice, { isModest = false } = {}): Fields {
  const { apiVersion, kind, fields } = pickKind(dice, isModest);
  const namespace = isModest ? dice.pick(["team-a", "team-b", undefined]) : dice.pick(namespaces);
  const isGenerated = dice.chance(0.1);
  const name = `${dice.pick(names)}${dice.chance(0.7) ? `-${dice.below(1_000_000)}` : ""}`;
  const metadata = {
    ...(isGenerated ? { generateName: `${name}-` } : { name }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(dice.chance(0.5) ? { annotations: randomAnnotations(dice) } : {}),
    ...(dice.chance(0.1) ? { labels: { "app.kubernetes.io/instance": "rival-own" } } : {}),
    ...(!isModest && dice.chance(0.05) ? { finalizers: ["tenant.example/stay"] } : {}),
  };
  const object = { apiVersion, kind, metadata, ...fields() };
  return dice.chance(0.1) ? { apiVersion: "v1", kind: "List", items: [object] } : object;
}

function pickKind(dice: Dice, isModest: boolean): Kind {
  const choices = isModest ? kinds.filter(({ kind }) => permittedKinds.includes(kind)) : kinds;
  return choices[dice.below(choices.length)] ?? kinds[0];
}

function randomAnnotations(dice: Dice): Fields {
  const annotations: Fields = {};
  if (dice.chance(0.6)) annotations["argocd.argoproj.io/hook"] = dice.pick(hooks);
  if (dice.chance(0.3))
    annotations["argocd.argoproj.io/hook-delete-policy"] = dice.pick([
      "HookSucceeded",
      "HookFailed",
      "BeforeHookCreation",
    ]);
  if (dice.chance(0.3)) annotations["argocd.argoproj.io/tracking-id"] = "rival-own:/ConfigMap:rival-a/plans";
  if (dice.chance(0.4)) annotations["argocd.argoproj.io/sync-options"] = randomOptions(dice).join(",");
  if (dice.chance(0.2)) annotations["helm.sh/hook"] = dice.pick(["pre-delete", "post-delete", "crd-install"]);
  return annotations;
}

const options = [
  ...["Replace=true", "Force=true", "ServerSideApply=true", "ServerSideApply=false", "Prune=confirm"],
  ...["Delete=false", "SkipDryRunOnMissingResource=true", "CreateNamespace=true", "PruneLast=true"],
  ...["ApplyOutOfSyncOnly=true", "RespectIgnoreDifferences=true", "FailOnSharedResource=true", "Nonsense=1"],
] as const;

export function randomOptions(dice: Dice): string[] {
  return Array.from({ length: dice.below(4) }, () => dice.pick(options));
}
