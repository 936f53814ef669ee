import { test } from "node:test";
import { argoApiVersion, type HealthStatusCode, type Manifest } from "@capstan/model";
import { eventually } from "@capstan/testkit";
import { definitionOf, limit, shareWorld } from "./place.ts";

const world = shareWorld();
const namespace = "healthy";
const labels = { app: "x" };
const container = { name: "main", image: "registry.example/main:1" };
const template = { metadata: { labels }, spec: { containers: [container] } };
const selector = { matchLabels: labels };

/** What a kind's controllers, or nobody, make of it; `status` is written where it has none. */
interface Fact {
  readonly object: { apiVersion: string; kind: string; spec?: object; [field: string]: unknown };
  readonly isClusterScoped?: true;
  readonly status?: object;
  readonly health: HealthStatusCode;
}

const apps = (kind: string, spec: object) => ({
  apiVersion: "apps/v1",
  kind,
  spec: { selector, template, ...spec },
});
const apiService = {
  apiVersion: "apiregistration.k8s.io/v1",
  kind: "APIService",
  metadata: { name: "v1.health.example" },
  spec: {
    group: "health.example",
    version: "v1",
    groupPriorityMinimum: 100,
    versionPriority: 100,
    service: { namespace, name: "nowhere" },
    insecureSkipTLSVerify: true,
  },
};
const definition = definitionOf({
  group: "argoproj.io",
  kind: "Workflow",
  plural: "workflows",
  version: "v1alpha1",
});
const cron = {
  schedule: "0 0 29 2 *",
  jobTemplate: { spec: { template: { spec: { restartPolicy: "Never", containers: [container] } } } },
};
const claim = {
  accessModes: ["ReadWriteOnce"],
  resources: { requests: { storage: "1Gi" } },
  storageClassName: "none",
};

const facts: Record<string, Fact[]> = {
  Deployment: [
    { object: apps("Deployment", { replicas: 0 }), health: "Healthy" },
    { object: apps("Deployment", { replicas: 0, paused: true }), health: "Suspended" },
  ],
  StatefulSet: [{ object: apps("StatefulSet", { replicas: 0, serviceName: "x" }), health: "Healthy" }],
  ReplicaSet: [{ object: apps("ReplicaSet", { replicas: 0 }), health: "Healthy" }],
  DaemonSet: [
    {
      object: apps("DaemonSet", {
        template: { ...template, spec: { ...template.spec, nodeSelector: { none: "x" } } },
      }),
      health: "Healthy",
    },
  ],
  Pod: [
    {
      object: {
        apiVersion: "v1",
        kind: "Pod",
        spec: { containers: [container], nodeSelector: { none: "such" } },
      },
      health: "Progressing",
    },
  ],
  Service: [
    {
      object: { apiVersion: "v1", kind: "Service", spec: { type: "ClusterIP", ports: [{ port: 80 }] } },
      health: "Healthy",
    },
    {
      object: { apiVersion: "v1", kind: "Service", spec: { type: "LoadBalancer", ports: [{ port: 80 }] } },
      health: "Progressing",
    },
    {
      object: { apiVersion: "v1", kind: "Service", spec: { type: "LoadBalancer", ports: [{ port: 80 }] } },
      status: { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } },
      health: "Healthy",
    },
  ],
  Ingress: [
    {
      object: {
        apiVersion: "networking.k8s.io/v1",
        kind: "Ingress",
        spec: { defaultBackend: { service: { name: "x", port: { number: 80 } } } },
      },
      health: "Progressing",
    },
    {
      object: {
        apiVersion: "networking.k8s.io/v1",
        kind: "Ingress",
        spec: { defaultBackend: { service: { name: "x", port: { number: 80 } } } },
      },
      status: { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } },
      health: "Healthy",
    },
  ],
  PersistentVolumeClaim: [
    { object: { apiVersion: "v1", kind: "PersistentVolumeClaim", spec: claim }, health: "Progressing" },
  ],
  HorizontalPodAutoscaler: [
    {
      object: {
        apiVersion: "autoscaling/v2",
        kind: "HorizontalPodAutoscaler",
        spec: {
          maxReplicas: 3,
          scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "nowhere" },
        },
      },
      status: {
        currentMetrics: [],
        desiredReplicas: 0,
        conditions: [
          { type: "AbleToScale", status: "False", reason: "FailedGetScale", message: "no such scale" },
        ],
      },
      health: "Degraded",
    },
  ],
  APIService: [{ object: apiService, isClusterScoped: true, health: "Progressing" }],
  CustomResourceDefinition: [{ object: definition, isClusterScoped: true, health: "Healthy" }],
  Workflow: [
    {
      object: { apiVersion: argoApiVersion, kind: "Workflow", status: { phase: "Succeeded" } },
      health: "Healthy",
    },
    {
      object: { apiVersion: argoApiVersion, kind: "Workflow", status: { phase: "Failed" } },
      health: "Degraded",
    },
    { object: { apiVersion: argoApiVersion, kind: "Workflow" }, health: "Progressing" },
  ],
  CronJob: [
    {
      object: { apiVersion: "batch/v1", kind: "CronJob", spec: { ...cron, suspend: true } },
      health: "Healthy",
    },
  ],
  PodDisruptionBudget: [
    {
      object: { apiVersion: "policy/v1", kind: "PodDisruptionBudget", spec: { maxUnavailable: 1, selector } },
      health: "Healthy",
    },
  ],
  ApplicationSet: [
    {
      object: {
        apiVersion: argoApiVersion,
        kind: "ApplicationSet",
        spec: {
          generators: [],
          template: {
            metadata: {},
            spec: { project: "default", destination: {}, source: { repoURL: "https://git.example/a" } },
          },
        },
      },
      status: {
        conditions: [{ type: "ErrorOccurred", status: "True", message: "as it is", reason: "ErrorOccurred" }],
      },
      health: "Degraded",
    },
  ],
};

async function make(name: string, { object, isClusterScoped, status }: Fact): Promise<Manifest> {
  const { kube } = world();
  const signal = limit();
  const place = isClusterScoped ? {} : { namespace };
  const metadata = { name, ...place, ...Object(object.metadata) };
  const made = await kube.create({ ...object, metadata }, { signal });
  if (!status) return made;
  const ref = { ...object, ...place, name: metadata.name };
  await kube.patch(ref, { type: "merge", body: { status } }, { signal, subresource: "status" });
  return made;
}

for (const [kind, of] of Object.entries(facts))
  test(`health as its controllers leave it: ${kind}`, async () => {
    const { kube, scripts } = world();
    const metadata = { name: namespace };
    // Workflows are served since the test of CustomResourceDefinitions.
    await kube.discovery.refresh(limit());
    await kube.apply(
      { apiVersion: "v1", kind: "Namespace", metadata },
      { fieldManager: "test", signal: limit() },
    );
    for (const [index, fact] of of.entries()) {
      const { apiVersion, metadata: made } = await make(`${kind.toLowerCase()}-${index}`, fact);
      const ref = { apiVersion, kind, namespace: made.namespace, name: made.name ?? "" };
      let last: unknown;
      await eventually(
        async () => {
          const live = await kube.get(ref, limit());
          last = live && (await scripts.health.judged("test", (healthOf) => healthOf(live), limit()));
          return Object(last).status === fact.health || undefined;
        },
        { signal: limit(), describe: () => `${kind} ${index} is ${JSON.stringify(last)}` },
      );
    }
  });
