import {
  lacking,
  lackingArgoCD,
  lackingOciRegistry,
  lackingRealCluster,
  lackingRealVault,
} from "@capstan/testkit";

export interface Suite {
  readonly name: string;
  /** Of `npm run testenv`. */
  readonly groups: readonly string[];
  readonly lacking: () => string | false;
  readonly command: readonly string[];
  /** Arguments of the sample that CI runs; without them CI leaves the suite out. */
  readonly short?: readonly string[];
  /** The groups that the sample needs, where these are fewer: CI builds them anew for each landing. */
  readonly shortGroups?: readonly string[];
  /** Instead of the usual one. */
  readonly limitMs?: number;
  /** Files that `npm test` or the long suite plays as well, where the programs are there. */
  readonly isTested?: true;
  /**
   * Samples of one lane are played one after the other, lanes beside each other: those without one are one or two.
   * "waiting" is for what waits for times to pass, or for other programs.
   */
  readonly lane?: "long" | "waiting";
}

/** In the order in which they are played: the longest samples first, so that little is left when others have ended. */
export const suites: readonly Suite[] = [
  {
    name: "long",
    groups: [],
    lacking: () => false,
    command: ["tools/test.ts", "--long", "--no-browser"],
    // It is the longest lane, and its files wait for programs. More at once only take each other's processor.
    short: ["--test-concurrency=3"],
    lane: "long",
  },
  {
    name: "browser",
    groups: [],
    lacking: () => false,
    command: ["tools/test.ts", "--long", "--browser"],
    short: ["--test-concurrency=2"],
  },
  {
    name: "releases",
    groups: [],
    lacking: () => false,
    // One after the other: several pack this checkout, and each builds the plugins' kit in it.
    command: [
      "tools/test.ts",
      "--test-concurrency=1",
      "tools/pack.release.test.ts",
      "tools/pack-cli.release.test.ts",
      "packages/cli/src/commands/plugin/node-versions.release.test.ts",
      "packages/cli/src/commands/plugin/plugin-image.release.test.ts",
      "packages/cli/src/commands/plugin/shipping-page.release.test.ts",
    ],
  },
  {
    name: "pages",
    groups: [],
    lacking: () => false,
    command: ["--test", "processes/docs-pages.release.test.ts"],
  },
  {
    name: "installation",
    groups: ["kube", "kwok", "helm3", "registry"],
    lacking: () => lackingRealCluster({ nodes: true }) || lacking("helm3", "kubectl"),
    command: ["--test", "--test-concurrency=1", "compat/installation/*.release.test.ts"],
  },
  {
    name: "attacks",
    groups: [],
    lacking: () => false,
    command: ["compat/attacks/run.ts"],
    short: ["--short"],
  },
  {
    name: "clients",
    groups: ["kube", "kwok", "helm3", "helm4"],
    lacking: () => lackingRealCluster({ nodes: true }) || lacking("kubectl", "helm4"),
    command: ["compat/clients/run.ts"],
    short: ["--short"],
    shortGroups: ["kube", "kwok", "helm4"],
  },
  {
    name: "kube-api",
    groups: ["kube"],
    lacking: lackingRealCluster,
    command: ["compat/kube-api/run.ts"],
    short: ["--short"],
    lane: "waiting",
  },
  {
    name: "tenants",
    groups: [],
    lacking: () => false,
    command: ["compat/attacks/tenants.ts"],
    short: ["--short"],
  },
  {
    name: "soak",
    groups: [],
    lacking: () => process.platform !== "linux" && "it reads /proc",
    command: ["compat/soak/run.ts"],
    short: ["--short"],
    limitMs: 2 * 3_600_000,
    lane: "waiting",
  },
  { name: "kills", groups: [], lacking: () => false, command: ["compat/kills/run.ts"] },
  {
    name: "controller-kills",
    groups: [],
    lacking: () => false,
    // One clock is right, one a minute ahead, one behind.
    command: ["compat/kills/run.ts", "--controllers", "3", "--skews", "0,60,-60"],
  },
  {
    name: "operators",
    groups: ["kube", "helm3"],
    lacking: lackingRealCluster,
    command: ["compat/operators/run.ts"],
  },
  {
    name: "kube-random",
    groups: ["kube"],
    lacking: lackingRealCluster,
    command: ["compat/kube-api/random.ts"],
    short: ["--short"],
  },
  {
    name: "kubeconfigs",
    groups: ["kube"],
    lacking: lackingRealCluster,
    command: ["--test", "compat/argocd/cluster-access.long.test.ts"],
    short: [],
    isTested: true,
  },
  {
    name: "test-servers",
    groups: ["helm3", "helm4", "registry"],
    lacking: () => lackingOciRegistry() || lacking("helm4"),
    command: ["--test", "packages/testkit/src/servers/chart-servers.test.ts"],
    short: [],
    isTested: true,
    shortGroups: ["helm4", "registry"],
  },
  {
    name: "renderers",
    groups: ["helm3", "helm4", "kustomize", "registry"],
    lacking: () => lackingOciRegistry() || lacking("helm3", "helm4", "kustomize"),
    command: ["--test", "compat/renderers/*.test.ts"],
  },
  {
    name: "helmfile",
    groups: ["helmfile", "helm3", "helm4", "registry"],
    lacking: () => lackingOciRegistry() || lacking("helmfile", "helm3", "helm4"),
    command: ["--test", "compat/renderers/helmfile*.test.ts"],
  },
  {
    name: "go-template",
    groups: ["go-template"],
    lacking: () => lacking("go-template"),
    command: ["compat/go-template/run.ts"],
    short: ["--short"],
  },
  {
    name: "expr",
    groups: ["expr"],
    lacking: () => lacking("expr"),
    command: ["compat/expr/run.ts"],
    short: ["--short"],
  },
  {
    // Its sample is not CI's: to build Argo CD's packages takes longer than all that they say.
    name: "rbac",
    groups: ["argocd-rbac"],
    lacking: () => lacking("argocd-rbac"),
    command: ["compat/rbac/run.ts"],
  },
  {
    name: "notification-services",
    groups: ["notifications"],
    lacking: () => lacking("notifications"),
    command: ["compat/notification-services/run.ts"],
    short: [],
  },
  {
    name: "nats",
    groups: ["notifications"],
    lacking: () => lacking("notifications", "nats-server"),
    command: ["--test", "compat/notification-services/nats.test.ts"],
    short: [],
    isTested: true,
  },
  {
    name: "cdk8s",
    groups: ["cdk8s"],
    lacking: () => lacking("cdk8s-app"),
    command: ["--test", "compat/cdk8s/go.release.test.ts"],
  },
  {
    name: "argocd-cli",
    groups: ["argocd", "kube", "kwok"],
    lacking: () => lackingRealCluster({ nodes: true }) || lackingArgoCD(),
    command: ["compat/argocd-cli/run.ts"],
  },
  {
    name: "kpt",
    groups: ["kpt-functions", "opa", "registry", "crane"],
    lacking: () => lackingOciRegistry() || lacking("kpt-upsert-resource", "opa", "crane"),
    command: ["--test", "compat/kpt/*.test.ts"],
  },
  {
    name: "sops",
    groups: ["sops"],
    lacking: () => lacking("sops"),
    command: [
      "--test",
      "packages/sops-files/src/*.test.ts",
      "packages/sops-files/src/keys/*.test.ts",
      "plugins/sops/src/sops.test.ts",
      "processes/argocd-vault-plugin/generate.long.test.ts",
      "processes/up/secrets.test.ts",
    ],
    short: [],
    isTested: true,
  },
  {
    // Nothing builds OpenBao or Vault here: CAPSTAN_VAULT_PROGRAM names a program that is there,
    // CAPSTAN_AVP_PROGRAM an argocd-vault-plugin to compare with.
    name: "vault",
    groups: ["sops", "kube"],
    lacking: () => lackingRealVault() || lacking("sops") || lackingRealCluster(),
    command: [
      "--test",
      "compat/vault/*.test.ts",
      "packages/sops-files/src/keys/vault-transit.test.ts",
      "processes/up/pasted-plugin.long.test.ts",
      "processes/up/secrets.test.ts",
    ],
  },
  {
    name: "argocd",
    groups: ["argocd", "kube", "helm3", "kustomize"],
    lacking: () => lackingArgoCD() || lacking("helm3", "kustomize"),
    command: ["--test", "compat/argocd/*.test.ts", "packages/testkit/src/servers/cmp-server.test.ts"],
  },
  {
    name: "side-by-side",
    groups: ["argocd", "helm3", "kustomize"],
    lacking: () => lackingArgoCD() || lacking("helm3", "kustomize"),
    command: ["compat/argocd/side-by-side/run.ts"],
    limitMs: 2 * 3_600_000,
  },
  {
    name: "sync-rows",
    groups: ["kube", "kwok"],
    lacking: () => lackingRealCluster({ nodes: true }),
    command: ["compat/sync-rows/run.ts"],
    limitMs: 2 * 3_600_000,
  },
  {
    name: "plugins",
    groups: ["argocd"],
    lacking: () => lacking("argocd-cmp-server"),
    command: ["--test", "compat/plugins/*.test.ts"],
  },
];
