import { isObject, type JsonObject, listAt, objectAt, textAt } from "../schema/json.ts";
import type { KubeObject } from "../types.ts";
import { type Amounts, one, readAmounts } from "./amounts.ts";
import { containersOf, podTotal } from "./pod-resources.ts";

/** Kinds that quotas know by a name of their own. */
const named = new Set([
  "pods",
  "services",
  "replicationcontrollers",
  "resourcequotas",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
]);

/** What one object uses of everything that a quota may limit (pkg/quota/v1/evaluator/core). */
export function usageOf(type: string, object: KubeObject): Amounts {
  const [group = "", resource = ""] = type.split("/");
  const usage: Amounts = new Map([[`count/${resource}${group && `.${group}`}`, one]]);
  if (group !== "") return usage;
  if (named.has(resource) && resource !== "pods") usage.set(resource, one);
  if (resource === "pods") addPod(usage, object);
  else if (resource === "services") addService(usage, object);
  else if (resource === "persistentvolumeclaims") addClaim(usage, object);
  return usage;
}

/** Pods that have ended use nothing but their place in the count. */
function addPod(usage: Amounts, pod: KubeObject): void {
  const phase = textAt(pod, "status", "phase");
  if (phase === "Succeeded" || phase === "Failed") return;
  usage.set("pods", one);
  for (const [name, quantity] of podTotal(pod, "requests")) {
    if (!name.includes("/") || name.startsWith("hugepages-")) usage.set(name, quantity);
    usage.set(`requests.${name}`, quantity);
  }
  for (const [name, quantity] of podTotal(pod, "limits")) usage.set(`limits.${name}`, quantity);
}

function addService(usage: Amounts, service: KubeObject): void {
  const type = textAt(service, "spec", "type");
  const ports = listAt(service, "spec", "ports").filter(isObject);
  const nodePorts = type === "NodePort" ? ports.length : type === "LoadBalancer" ? ports.length : 0;
  const counted =
    type === "LoadBalancer" && objectAt(service, "spec")?.allocateLoadBalancerNodePorts === false
      ? ports.filter(({ nodePort }) => Boolean(nodePort)).length
      : nodePorts;
  usage.set("services.nodeports", { nanos: BigInt(counted) * one.nanos, format: "decimal" });
  usage.set("services.loadbalancers", type === "LoadBalancer" ? one : { nanos: 0n, format: "decimal" });
}

function addClaim(usage: Amounts, claim: KubeObject): void {
  const storage = readAmounts(objectAt(claim, "spec", "resources", "requests")).get("storage");
  const storageClass = textAt(claim, "spec", "storageClassName");
  if (storage !== undefined) usage.set("requests.storage", storage);
  if (storageClass === "") return;
  usage.set(`${storageClass}.storageclass.storage.k8s.io/persistentvolumeclaims`, one);
  if (storage !== undefined)
    usage.set(`${storageClass}.storageclass.storage.k8s.io/requests.storage`, storage);
}

/** Whether a quota is about objects like this one. */
export function isInScope(quota: KubeObject, type: string, object: KubeObject): boolean {
  const scopes = listAt(quota, "spec", "scopes").map(
    (scopeName): JsonObject => ({ scopeName, operator: "Exists" }),
  );
  const selected = listAt(quota, "spec", "scopeSelector", "matchExpressions").filter(isObject);
  const all = [...scopes, ...selected];
  return all.length === 0 || (type === "/pods" && all.every((scope) => podMatches(scope, object)));
}

function podMatches(scope: JsonObject, pod: KubeObject): boolean {
  const terminating = objectAt(pod, "spec")?.activeDeadlineSeconds !== undefined;
  switch (textAt(scope, "scopeName")) {
    case "Terminating":
      return terminating;
    case "NotTerminating":
      return !terminating;
    case "BestEffort":
      return isBestEffort(pod);
    case "NotBestEffort":
      return !isBestEffort(pod);
    case "PriorityClass":
      return meets(scope, textAt(pod, "spec", "priorityClassName"));
    case "CrossNamespacePodAffinity":
      return /"namespace(?:s|Selector)":/.test(JSON.stringify(objectAt(pod, "spec", "affinity") ?? {}));
    default:
      return false;
  }
}

function meets(scope: JsonObject, value: string): boolean {
  const values = listAt(scope, "values");
  switch (textAt(scope, "operator")) {
    case "In":
      return values.includes(value);
    case "NotIn":
      return !values.includes(value);
    case "DoesNotExist":
      return value === "";
    default:
      return value !== "";
  }
}

function isBestEffort(pod: KubeObject): boolean {
  return [...containersOf(pod, "containers"), ...containersOf(pod, "initContainers")].every((container) =>
    ["requests", "limits"].every(
      (which) => readAmounts(objectAt(container, "resources")?.[which]).size === 0,
    ),
  );
}

const required = new Set(["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"]);

/** Where a quota limits cpu or memory, every container has to say what it takes. */
export function unspecified(pod: KubeObject, names: Iterable<string>): string {
  const problems = [...names].sort().flatMap((name) => {
    if (!required.has(name)) return [];
    const [which, resource] = name.includes(".") ? name.split(".") : ["requests", name];
    const all = [...containersOf(pod, "containers"), ...containersOf(pod, "initContainers")];
    const without = all.filter(
      (one) => !readAmounts(objectAt(one, "resources")?.[which ?? ""]).has(resource ?? ""),
    );
    return without.length === 0
      ? []
      : [
          `${name} for: ${without
            .map((one) => textAt(one, "name"))
            .sort()
            .join(",")}`,
        ];
  });
  return problems.join("; ");
}
