/** What the sample applications consist of; world.ts makes objects of it. */
export interface Workload {
  readonly kind: "Deployment" | "StatefulSet" | "DaemonSet" | "Job" | "CronJob";
  readonly name: string;
  readonly pods: number;
  /** Pods that are not well, and why. */
  readonly unwell?: number;
  readonly reason?: string;
  readonly health?: string;
  readonly message?: string;
  /** The image that git asks for, where it is another than the one that runs. */
  readonly drifted?: boolean;
  readonly oldReplicaSets?: number;
}

export interface Recipe {
  readonly name: string;
  readonly project: string;
  readonly namespace: string;
  readonly path: string;
  readonly cluster?: string;
  readonly labels?: Record<string, string>;
  readonly automated?: boolean;
  readonly workloads: readonly Workload[];
  readonly services?: number;
  readonly configMaps?: number;
  /** Names of objects that git has and the cluster has not. */
  readonly missing?: readonly string[];
  /** Names of ConfigMaps that are no longer in git. */
  readonly pruned?: readonly string[];
  /** Names of ConfigMaps that no application has. */
  readonly orphans?: readonly string[];
  readonly condition?: { type: string; message: string };
  readonly failedSync?: string;
  readonly running?: boolean;
  readonly sync?: "Unknown";
}

const deployment = (name: string, pods: number, more: Partial<Workload> = {}): Workload => ({
  kind: "Deployment",
  name,
  pods,
  ...more,
});

const team = (name: string, tier: string) => ({ team: name, tier });

export const recipes: readonly Recipe[] = [
  {
    name: "checkout-api",
    project: "shop",
    namespace: "checkout",
    path: "apps/checkout-api",
    labels: team("shop", "backend"),
    automated: true,
    workloads: [
      deployment("checkout-api", 12, {
        unwell: 2,
        reason: "CrashLoopBackOff",
        health: "Degraded",
        message: 'Deployment "checkout-api" exceeded its progress deadline',
        oldReplicaSets: 3,
      }),
      deployment("checkout-worker", 3),
      { kind: "CronJob", name: "checkout-cleanup", pods: 1 },
    ],
    services: 2,
    configMaps: 3,
  },
  {
    name: "guestbook",
    project: "default",
    namespace: "guestbook",
    path: "guestbook",
    labels: team("platform", "sample"),
    workloads: [deployment("guestbook-ui", 3, { drifted: true })],
    services: 1,
    configMaps: 1,
    pruned: ["guestbook-old-settings"],
    missing: ["guestbook-feature-flags"],
    orphans: ["left-by-hand", "left-by-somebody"],
  },
  {
    name: "observability",
    project: "platform",
    namespace: "monitoring",
    path: "platform/observability",
    labels: team("platform", "infra"),
    automated: true,
    workloads: [
      { kind: "StatefulSet", name: "prometheus", pods: 2 },
      {
        kind: "DaemonSet",
        name: "node-exporter",
        pods: 34,
        unwell: 1,
        reason: "Pending",
        health: "Progressing",
      },
      deployment("grafana", 2, { oldReplicaSets: 4 }),
      deployment("alertmanager", 3),
      deployment("loki-distributor", 4),
      deployment("loki-querier", 6),
      deployment("tempo", 3),
    ],
    services: 9,
    configMaps: 41,
  },
  {
    name: "payments-gateway-production-eu-west-1",
    project: "payments",
    namespace: "payments",
    path: "apps/payments/overlays/production",
    cluster: "eu-west-1",
    labels: team("payments", "backend"),
    workloads: [deployment("gateway", 4), deployment("ledger", 2)],
    services: 2,
    configMaps: 2,
    condition: {
      type: "ComparisonError",
      message:
        "apps/payments/overlays/production/kustomization.yaml, line 14: accumulating resources: '../../base/ledger.yaml' does not exist in the repository at 4be1f02",
    },
    sync: "Unknown",
  },
  {
    name: "search-indexer",
    project: "shop",
    namespace: "search",
    path: "apps/search-indexer",
    labels: team("shop", "backend"),
    automated: true,
    workloads: [
      {
        kind: "StatefulSet",
        name: "indexer",
        pods: 5,
        unwell: 2,
        reason: "ContainerCreating",
        health: "Progressing",
      },
    ],
    services: 1,
    configMaps: 2,
    running: true,
  },
  {
    name: "recommendations",
    project: "shop",
    namespace: "recommendations",
    path: "apps/recommendations",
    labels: team("shop", "backend"),
    workloads: [
      deployment("recommendations", 3, { unwell: 1, reason: "CrashLoopBackOff", health: "Progressing" }),
    ],
    services: 1,
  },
  {
    name: "newsletter",
    project: "marketing",
    namespace: "newsletter",
    path: "apps/newsletter",
    labels: team("marketing", "backend"),
    workloads: [deployment("newsletter", 2), { kind: "Job", name: "newsletter-migrate", pods: 1 }],
    services: 1,
    failedSync: "one or more objects failed to apply: Service newsletter: spec.clusterIP: field is immutable",
  },
  {
    name: "batch-reports",
    project: "finance",
    namespace: "reports",
    path: "apps/reports",
    labels: team("finance", "batch"),
    workloads: [{ kind: "CronJob", name: "daily-report", pods: 1, health: "Suspended" }],
    configMaps: 1,
  },
  {
    name: "legacy-erp-bridge",
    project: "finance",
    namespace: "erp",
    path: "apps/erp-bridge",
    labels: team("finance", "backend"),
    workloads: [deployment("erp-bridge", 0, { health: "Missing" })],
    missing: ["erp-bridge"],
    services: 1,
  },
];

const names = [
  "catalog",
  "cart",
  "profile",
  "reviews",
  "pricing",
  "inventory",
  "shipping",
  "invoices",
  "auth",
  "media",
  "chat",
  "ads",
  "feed",
  "maps",
  "quotes",
  "tax",
];

/** As many healthy applications as are wanted, with a few that are not. */
export function plentyOfRecipes(count: number): Recipe[] {
  return Array.from({ length: count }, (_, index) => {
    const name = names[index % names.length] ?? "app";
    const stage = ["production", "staging", "test"][index % 3] ?? "test";
    const unwell = index % 97 === 13;
    const round = Math.floor(index / names.length);
    return {
      name: `${name}-${stage}${round === 0 ? "" : `-${round}`}`,
      project: ["shop", "platform", "finance", "payments"][index % 4] ?? "default",
      namespace: `${name}-${stage}`,
      path: `apps/${name}/overlays/${stage}`,
      cluster: index % 5 === 0 ? "eu-west-1" : "in-cluster",
      labels: { team: ["shop", "platform", "finance"][index % 3] ?? "shop", stage },
      automated: index % 2 === 0,
      workloads: [
        deployment(name, 2, {
          ...(unwell && {
            unwell: 1,
            reason: "ImagePullBackOff",
            health: "Degraded",
            message: "image not found",
          }),
          drifted: index % 61 === 7,
        }),
      ],
      services: 1,
      configMaps: 1,
    };
  });
}
