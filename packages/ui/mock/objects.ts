import type { Manifest } from "@capstan/model";
import type { Recipe, Workload } from "./recipes.ts";

/** Manifests of the sample applications, as git and as the cluster has them. */
export interface Pair {
  readonly target: Manifest | undefined;
  readonly live: Manifest | undefined;
}

const group = {
  Deployment: "apps",
  StatefulSet: "apps",
  DaemonSet: "apps",
  Job: "batch",
  CronJob: "batch",
} as const;

function workloadManifest(recipe: Recipe, { kind, name, pods }: Workload, tag: string): Manifest {
  return {
    apiVersion: `${group[kind]}/v1`,
    kind,
    metadata: {
      name,
      namespace: recipe.namespace,
      labels: { app: name, "app.kubernetes.io/part-of": recipe.name },
    },
    spec: {
      replicas: pods,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          containers: [
            {
              name: "main",
              image: `registry.example.com/${recipe.project}/${name}:${tag}`,
              ports: [{ containerPort: 8080, name: "http" }],
              env: [
                { name: "LOG_LEVEL", value: tag === "1.8.0" ? "debug" : "info" },
                { name: "SERVICE_NAME", value: name },
                { name: "START_SCRIPT", value: "set -e\nexec /app/server --port 8080\n" },
              ],
              resources: {
                requests: { cpu: "100m", memory: "128Mi" },
                limits: { memory: tag === "1.8.0" ? "512Mi" : "256Mi" },
              },
              readinessProbe: { httpGet: { path: "/healthz", port: "http" }, periodSeconds: 5 },
            },
          ],
        },
      },
    },
  };
}

function liveOf(manifest: Manifest, version: number): Manifest {
  return {
    ...manifest,
    metadata: {
      ...manifest.metadata,
      uid: `uid-${manifest.kind}-${manifest.metadata.namespace}-${manifest.metadata.name}`.toLowerCase(),
      resourceVersion: String(version),
      creationTimestamp: new Date(Date.now() - 6 * 86_400_000).toISOString(),
      generation: 4,
      managedFields: [{ manager: "capstan", operation: "Apply", apiVersion: manifest.apiVersion }],
    },
  };
}

function simple(kind: string, metadata: { name: string; namespace: string }, rest: object): Manifest {
  return { apiVersion: "v1", kind, metadata, ...rest };
}

export function pairsOf(recipe: Recipe): Pair[] {
  const pairs: Pair[] = [];
  const { namespace } = recipe;
  const missing = new Set(recipe.missing);
  const add = (target: Manifest, live: Manifest = target) =>
    pairs.push({
      target,
      live: missing.has(target.metadata.name ?? "") ? undefined : liveOf(live, 1000 + pairs.length),
    });
  for (const workload of recipe.workloads) {
    const old = workloadManifest(recipe, workload, "1.7.2");
    add(workload.drifted ? workloadManifest(recipe, workload, "1.8.0") : old, old);
  }
  for (let index = 0; index < (recipe.services ?? 0); index++) {
    const name = recipe.workloads[index]?.name ?? `${recipe.name}-${index}`;
    add(
      simple(
        "Service",
        { name, namespace },
        {
          spec: { selector: { app: name }, ports: [{ port: 80, targetPort: "http" }] },
        },
      ),
    );
  }
  for (let index = 0; index < (recipe.configMaps ?? 0); index++) {
    const name = `${recipe.name}-settings${index === 0 ? "" : `-${index}`}`;
    add(
      simple(
        "ConfigMap",
        { name, namespace },
        { data: { "settings.yaml": "cache: 5m\nregions:\n- eu\n- us\n" } },
      ),
    );
  }
  for (const name of missing) {
    if (pairs.some(({ target }) => target?.metadata.name === name)) continue;
    add(simple("ConfigMap", { name, namespace }, { data: { flags: "new-checkout=on\n" } }));
  }
  for (const name of recipe.pruned ?? []) {
    pairs.push({
      target: undefined,
      live: liveOf(simple("ConfigMap", { name, namespace }, { data: { old: "1" } }), 900),
    });
  }
  return pairs;
}
