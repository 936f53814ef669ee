import fc, { type Arbitrary } from "fast-check";
import { isObject, type Json, type JsonObject } from "../script.ts";

const names: readonly Json[] = ["a", "b", "c"];
const labels: readonly Json[] = [{ app: "a" }, { app: "a", x: "1" }, {}];

/**
 * What a schema does not say of a field's values: "Type.field" or "field" → a pool. Without these most objects would
 * be refused for their values, and what differs would only be how.
 */
const pools: Readonly<Record<string, readonly Json[]>> = {
  "ObjectMeta.labels": labels,
  "ObjectMeta.annotations": [{ a: "1" }, { "example.com/b": "2" }, {}],
  "ObjectMeta.finalizers": [["example.com/a"], ["example.com/a", "example.com/b"], []],
  matchLabels: labels,
  name: names,
  namespace: names,
  apiGroup: ["", "apps"],
  apiVersion: ["v1", "apps/v1"],
  kind: ["Pod", "Deployment"],
  image: ["example.com/app:1", "example.com/app:2"],
  containerPort: [80, 81],
  port: [80, 81],
  targetPort: [80, "http"],
  nodePort: [0],
  ip: ["192.0.2.1", "192.0.2.2"],
  hostIP: ["192.0.2.1"],
  cidr: ["192.0.2.0/24"],
  path: ["/a", "/b"],
  mountPath: ["/a", "/b"],
  subPath: ["a", "b/c"],
  key: ["a", "example.com/b"],
  topologyKey: ["kubernetes.io/hostname"],
  weight: [1, 2, 100],
  expression: ["true", "1 == 1"],
  schedule: ["*/5 * * * *", "0 0 * * 0"],
  timeZone: ["Etc/UTC"],
  priorityClassName: [""],
  runtimeClassName: ["a"],
  supplementalGroups: [[1], []],
  matchExpressions: [
    [{ key: "app", operator: "Exists" }],
    [{ key: "app", operator: "In", values: ["a", "b"] }],
    [],
  ],
  "NodeSelectorTerm.matchExpressions": [
    [{ key: "a", operator: "Gt", values: ["1"] }],
    [{ key: "a", operator: "Exists" }],
  ],
  nodeSelectorTerms: [[{ matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] }]],
  tolerations: [
    [{ key: "a", operator: "Exists" }],
    [{ key: "a", operator: "Equal", value: "b", effect: "NoSchedule" }],
    [],
  ],
  limits: [{ cpu: "1" }, { memory: "64Mi" }, { cpu: 2, memory: "1Gi" }],
  requests: [{ cpu: "500m" }, { memory: "32Mi" }, { cpu: 0.5 }],
  "ResourceQuotaSpec.hard": [{ pods: "4" }, { "count/secrets": "10", "requests.cpu": 2 }],
  "ResourceQuotaStatus.hard": [{ pods: "4" }, { "count/secrets": "10" }],
  "ResourceQuotaStatus.used": [{ pods: "1" }],
  "LimitRangeSpec.limits": [
    [{ type: "Container", max: { cpu: "2" }, default: { cpu: "1000m" } }],
    [{ type: "Pod", max: { memory: "1Gi" } }],
  ],
  capacity: [{ storage: "1Gi" }, { storage: "2Gi" }],
  "PodSpec.overhead": [{ cpu: "10m" }],
  podFixed: [{ cpu: "10m" }, { memory: "1Mi" }],
  finalizers: [["example.com/a"], ["example.com/b"]],
  fsGroupPolicy: ["File", "None", "ReadWriteOnceWithFSType"],
  reclaimPolicy: ["Delete", "Retain"],
  addresses: [["192.0.2.1"], ["192.0.2.2"]],
  "EndpointSubset.addresses": [[{ ip: "192.0.2.1" }], [{ ip: "192.0.2.2", hostname: "a" }]],
  hostname: ["a", "b"],
  controller: ["example.com/controller"],
  parameterNotFoundAction: ["Deny", "Allow"],
  scope: ["Namespace", "Cluster"],
  operations: [["CREATE"], ["CREATE", "UPDATE"]],
  resizePolicy: [[{ resourceName: "cpu", restartPolicy: "NotRequired" }]],
  metrics: [
    [
      {
        type: "Resource",
        resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
      },
    ],
    [
      {
        type: "Pods",
        pods: { metric: { name: "m" }, target: { type: "AverageValue", averageValue: "500m" } },
      },
    ],
    [],
  ],
  env: [
    [{ name: "A", value: "1" }],
    [
      { name: "B", value: "2" },
      { name: "A", value: "1" },
    ],
    [],
  ],
  volumes: [
    [{ name: "v", emptyDir: {} }],
    [
      { name: "v", configMap: { name: "a" } },
      { name: "w", emptyDir: { sizeLimit: "1Gi" } },
    ],
    [],
  ],
  volumeMounts: [[{ name: "v", mountPath: "/a" }], []],
  "OS.name": ["linux"],
  podCIDR: ["10.244.0.0/24"],
  podCIDRs: [["10.244.0.0/24"]],
  providerID: ["x://a"],
  externalIPs: [["192.0.2.5"], []],
  loadBalancerSourceRanges: [["192.0.2.0/24"], []],
  clusterIP: ["", "None"],
  clusterIPs: [[]],
  ipFamilies: [["IPv4"]],
  ipFamilyPolicy: ["SingleStack"],
  accessModes: [["ReadWriteOnce"], ["ReadWriteOnce", "ReadOnlyMany"]],
  scopes: [["BestEffort"], ["NotTerminating"]],
  scopeSelector: [{ matchExpressions: [{ scopeName: "BestEffort", operator: "Exists" }] }],
  taints: [[{ key: "a", effect: "NoSchedule" }], [{ key: "a", value: "b", effect: "NoExecute" }], []],
  defaultMode: [420, 256],
  mode: [420, 256],
};

export function hintFor(node: JsonObject, name: string, below: JsonObject): Arbitrary<Json> | undefined {
  const type = typeof node.title === "string" ? node.title.slice(node.title.lastIndexOf(".") + 1) : "";
  const pool = pools[`${type}.${name}`] ?? pools[name];
  if (pool === undefined || !fits(pool[0], below)) return undefined;
  return fc.constantFrom(...pool);
}

/** The same name may be a text in one type and a struct in another. */
function fits(example: Json | undefined, { type }: JsonObject): boolean {
  if (type === undefined) return !isObject(example) && !Array.isArray(example);
  if (type === "string") return typeof example === "string";
  if (type === "integer") return typeof example === "number";
  if (type === "array") return Array.isArray(example);
  return type === "object" && isObject(example);
}
