import { podSpec, template } from "./core.ts";
import type { Kind } from "./kind.ts";

const selector = { app: "a" };
const workloadSpec = { selector: { matchLabels: selector }, template };
const workloadInvalid = {
  "selector of others": { spec: { selector: { matchLabels: { app: "b" } } } },
  "no containers": { spec: { template: { spec: { containers: [] } } } },
  "bad restart": { spec: { template: { spec: { restartPolicy: "Never" } } } },
  "bad operator": {
    spec: { selector: { matchExpressions: [{ key: "app", operator: "Foo", values: ["a"] }] } },
  },
  "no selector": { spec: { selector: null } },
  "empty selector": { spec: { selector: { matchLabels: null } } },
};
const replicasInvalid = { ...workloadInvalid, "replicas under 0": { spec: { replicas: -1 } } };
const otherSelector = {
  selector: {
    spec: { selector: { matchLabels: { app: "b" } }, template: { metadata: { labels: { app: "b" } } } },
  },
};
const newImage = {
  spec: { template: { spec: { containers: [{ ...podSpec.containers[0], image: "example.com/app:2" }] } } },
};
const apps = "apps/v1";

export const workloadKinds: readonly Kind[] = [
  {
    apiVersion: "v1",
    kind: "ReplicationController",
    resource: "replicationcontrollers",
    content: { spec: { selector, template } },
    change: { spec: { replicas: 2 } },
    undecodable: { spec: { replicas: "x" } },
    invalid: {
      "replicas under 0": { spec: { replicas: -1 } },
      "selector of others": { spec: { selector: { app: "b" } } },
      "no template": { spec: { template: null } },
    },
    status: { status: { replicas: 1 } },
    scale: true,
  },
  {
    apiVersion: "v1",
    kind: "ResourceQuota",
    resource: "resourcequotas",
    content: { spec: { hard: { "count/secrets": "10" } } },
    change: { spec: { hard: { pods: "4" } } },
    undecodable: { spec: { hard: "x" } },
    invalid: {
      negative: { spec: { hard: { pods: "-1" } } },
      "bad name": { spec: { hard: { strange: "1" } } },
      "bad scope": { spec: { scopes: ["Foo"] } },
      fraction: { spec: { hard: { pods: "1500m" } } },
    },
    immutable: { scopes: { spec: { scopes: ["BestEffort"] } } },
    status: { status: { hard: { "count/secrets": "10" }, used: { "count/secrets": "1" } } },
  },
  {
    apiVersion: apps,
    kind: "Deployment",
    resource: "deployments",
    content: { spec: workloadSpec },
    change: { spec: { replicas: 2 } },
    undecodable: { spec: { replicas: "x" } },
    invalid: {
      ...replicasInvalid,
      "bad strategy": { spec: { strategy: { type: "Foo" } } },
      "recreate with surge": { spec: { strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } } } },
      "nothing may move": {
        spec: { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } },
      },
      "deadline under ready": { spec: { progressDeadlineSeconds: 5, minReadySeconds: 10 } },
      "bad surge": { spec: { strategy: { rollingUpdate: { maxSurge: "many" } } } },
    },
    immutable: otherSelector,
    status: { status: { replicas: 1, observedGeneration: 1 } },
    scale: true,
  },
  {
    apiVersion: apps,
    kind: "ReplicaSet",
    resource: "replicasets",
    content: { spec: workloadSpec },
    change: newImage,
    undecodable: { spec: { template: 1 } },
    invalid: replicasInvalid,
    immutable: otherSelector,
    status: { status: { replicas: 1 } },
    scale: true,
  },
  {
    apiVersion: apps,
    kind: "StatefulSet",
    resource: "statefulsets",
    content: { spec: { ...workloadSpec, serviceName: "a" } },
    change: { spec: { replicas: 2 } },
    undecodable: { spec: { serviceName: 1 } },
    invalid: {
      ...replicasInvalid,
      "bad management": { spec: { podManagementPolicy: "Foo" } },
      "bad strategy": { spec: { updateStrategy: { type: "Foo" } } },
      "bad ordinals": { spec: { ordinals: { start: -1 } } },
    },
    immutable: { ...otherSelector, service: { spec: { serviceName: "b" } } },
    status: { status: { replicas: 1 } },
    scale: true,
  },
  {
    apiVersion: apps,
    kind: "DaemonSet",
    resource: "daemonsets",
    content: { spec: workloadSpec },
    change: newImage,
    undecodable: { spec: { minReadySeconds: "x" } },
    invalid: { ...workloadInvalid, "bad strategy": { spec: { updateStrategy: { type: "Foo" } } } },
    immutable: otherSelector,
    status: {
      status: { numberReady: 1, currentNumberScheduled: 1, numberMisscheduled: 0, desiredNumberScheduled: 1 },
    },
  },
  {
    apiVersion: apps,
    kind: "ControllerRevision",
    resource: "controllerrevisions",
    content: { data: { spec: { a: 1 } }, revision: 1 },
    change: { revision: 2 },
    undecodable: { revision: "x" },
    invalid: { "under 0": { revision: -1 } },
    immutable: { data: { data: { spec: { a: 2 } } } },
  },
  {
    apiVersion: "batch/v1",
    kind: "Job",
    resource: "jobs",
    content: { spec: { template: { spec: { ...podSpec, restartPolicy: "Never" } } } },
    change: { spec: { parallelism: 2 } },
    undecodable: { spec: { completions: "x" } },
    invalid: {
      "restarts always": { spec: { template: { spec: { restartPolicy: "Always" } } } },
      "parallel under 0": { spec: { parallelism: -1 } },
      "completions under 0": { spec: { completions: -1 } },
      "bad mode": { spec: { completionMode: "Foo" } },
      "indexed without count": { spec: { completionMode: "Indexed" } },
      "selector by hand": { spec: { selector: { matchLabels: { a: "b" } } } },
      "bad deadline": { spec: { activeDeadlineSeconds: -1 } },
      "bad ttl": { spec: { ttlSecondsAfterFinished: -1 } },
    },
    immutable: {
      completions: { spec: { completions: 5 } },
      template: { spec: { template: { spec: { restartPolicy: "OnFailure" } } } },
    },
    status: { status: { active: 1 } },
  },
  {
    apiVersion: "batch/v1",
    kind: "CronJob",
    resource: "cronjobs",
    content: {
      spec: {
        schedule: "*/5 * * * *",
        jobTemplate: { spec: { template: { spec: { ...podSpec, restartPolicy: "Never" } } } },
      },
    },
    change: { spec: { suspend: true } },
    undecodable: { spec: { suspend: "x" } },
    invalid: {
      "bad schedule": { spec: { schedule: "often" } },
      "no schedule": { spec: { schedule: "" } },
      "bad policy": { spec: { concurrencyPolicy: "Foo" } },
      "bad zone": { spec: { timeZone: "Nowhere/City" } },
      "history under 0": { spec: { successfulJobsHistoryLimit: -1 } },
      "zone in schedule": { spec: { schedule: "TZ=UTC 0 * * * *" } },
    },
    status: { status: { lastScheduleTime: "2020-01-01T00:00:00Z" } },
  },
];
