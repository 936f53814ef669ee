import { printQuantity } from "@capstan/formats";
import { forbidden } from "../objects/failures.ts";
import type { Review } from "../objects/world.ts";
import { isObject, type JsonObject, listAt, objectAt, textAt } from "../schema/json.ts";
import { aggregate } from "../security/rbac.ts";
import type { Store } from "../store/store.ts";
import type { KubeObject } from "../types.ts";
import { type Amounts, readAmounts } from "./amounts.ts";
import { containersOf, podTotal } from "./pod-resources.ts";

const type = "/limitranges";
type Reading = Pick<Store, "list" | "count">;

function limitsOf(store: Reading, namespace: string): JsonObject[][] {
  return store.list(type, namespace).map(({ object }) => listAt(object, "spec", "limits").filter(isObject));
}

/** plugin/pkg/admission/limitranger: containers get the amounts that their namespace gives by default. */
export function applyLimitDefaults(
  store: Reading,
  { served, operation, namespace }: Review,
  object: KubeObject,
): KubeObject {
  if (served.type !== "/pods" || operation !== "CREATE" || store.count(type) === 0) return object;
  return limitsOf(store, namespace).reduce(withDefaults, object);
}

function withDefaults(pod: KubeObject, limits: readonly JsonObject[]): KubeObject {
  const own = limits.filter((limit) => limit.type === "Container");
  const defaults = {
    limits: Object.assign({}, ...own.map((limit) => objectAt(limit, "default") ?? {})),
    requests: Object.assign({}, ...own.map((limit) => objectAt(limit, "defaultRequest") ?? {})),
  };
  const told: string[] = [];
  const complete = (list: "containers" | "initContainers", title: string): JsonObject[] =>
    containersOf(pod, list).map((container) => {
      const resources = objectAt(container, "resources") ?? {};
      const next: JsonObject = { ...resources };
      for (const which of ["requests", "limits"] as const) {
        const given = objectAt(resources, which) ?? {};
        const missing = Object.keys(defaults[which])
          .filter((name) => given[name] === undefined)
          .sort();
        if (missing.length === 0) continue;
        next[which] = {
          ...given,
          ...Object.fromEntries(missing.map((name) => [name, defaults[which][name]])),
        };
        told.push(`${missing.join(", ")} ${which.slice(0, -1)} for ${title} ${textAt(container, "name")}`);
      }
      return { ...container, resources: next };
    });
  const containers = complete("containers", "container");
  const initContainers = complete("initContainers", "init container");
  if (told.length === 0) return pod;
  const annotation = `LimitRanger plugin set: ${told.join("; ")}`;
  const annotations = { ...pod.metadata.annotations, "kubernetes.io/limit-ranger": annotation };
  const spec = { ...objectAt(pod, "spec"), containers, ...(initContainers.length > 0 && { initContainers }) };
  return { ...pod, metadata: { ...pod.metadata, annotations }, spec };
}

/** What is more or less than the namespace allows. */
export function validateLimits(store: Reading, review: Review): void {
  const { served, operation, object, namespace, name, subresource } = review;
  if (store.count(type) === 0 || object === undefined || subresource !== "") return;
  const isPod = served.type === "/pods" && operation === "CREATE";
  if (!isPod && served.type !== "/persistentvolumeclaims") return;
  for (const limits of limitsOf(store, namespace)) {
    const problems = limits.flatMap((limit) =>
      isPod ? podProblems(limit, object) : claimProblems(limit, object),
    );
    if (problems.length > 0) throw forbidden({ info: served.info, name }, aggregate(problems));
  }
}

interface Asked {
  requests: Amounts;
  limits: Amounts;
}

function podProblems(limit: JsonObject, pod: KubeObject): string[] {
  if (limit.type === "Pod")
    return problemsOf(limit, { requests: podTotal(pod, "requests"), limits: podTotal(pod, "limits") });
  if (limit.type !== "Container") return [];
  return [...containersOf(pod, "containers"), ...containersOf(pod, "initContainers")].flatMap((container) =>
    problemsOf(limit, {
      requests: readAmounts(objectAt(container, "resources", "requests")),
      limits: readAmounts(objectAt(container, "resources", "limits")),
    }),
  );
}

function problemsOf(limit: JsonObject, { requests, limits }: Asked): string[] {
  const kind = textAt(limit, "type");
  const low = sorted(limit.min).map(([name, least]) => {
    const start = `minimum ${name} usage per ${kind} is ${printQuantity(least)}`;
    const [request, most] = [requests.get(name), limits.get(name)];
    if (request === undefined) return `${start}.  No request is specified`;
    if (request.nanos < least.nanos) return `${start}, but request is ${printQuantity(request)}`;
    return most !== undefined && most.nanos < least.nanos
      ? `${start}, but limit is ${printQuantity(most)}`
      : "";
  });
  const high = sorted(limit.max).map(([name, most]) => {
    const start = `maximum ${name} usage per ${kind} is ${printQuantity(most)}`;
    const [request, own] = [requests.get(name), limits.get(name)];
    if (own === undefined) return `${start}.  No limit is specified`;
    if (own.nanos > most.nanos) return `${start}, but limit is ${printQuantity(own)}`;
    return request !== undefined && request.nanos > most.nanos
      ? `${start}, but request is ${printQuantity(request)}`
      : "";
  });
  const ratios = sorted(limit.maxLimitRequestRatio).map(([name, most]) => {
    const start = `${name} max limit to request ratio per ${kind} is ${printQuantity(most)}`;
    const [request, own] = [requests.get(name)?.nanos ?? 0n, limits.get(name)?.nanos ?? 0n];
    if (request === 0n) return `${start}, but no request is specified or request is 0`;
    if (own === 0n) return `${start}, but no limit is specified or limit is 0`;
    const ratio = Number(own) / Number(request);
    return ratio > Number(most.nanos) / 1e9 ? `${start}, but provided ratio is ${ratio.toFixed(6)}` : "";
  });
  return [...low, ...high, ...ratios].filter((problem) => problem !== "");
}

function claimProblems(limit: JsonObject, claim: KubeObject): string[] {
  if (limit.type !== "PersistentVolumeClaim") return [];
  const requests = readAmounts(objectAt(claim, "spec", "resources", "requests"));
  const check = (which: "min" | "max"): string[] =>
    sorted(limit[which]).flatMap(([name, bound]) => {
      const start = `${which}imum ${name} usage per PersistentVolumeClaim is ${printQuantity(bound)}`;
      const request = requests.get(name);
      if (request === undefined) return [`${start}.  No request is specified`];
      const isBeyond = which === "min" ? request.nanos < bound.nanos : request.nanos > bound.nanos;
      return isBeyond ? [`${start}, but request is ${printQuantity(request)}`] : [];
    });
  return [...check("min"), ...check("max")];
}

function sorted(list: unknown): [string, NonNullable<ReturnType<Amounts["get"]>>][] {
  return [...readAmounts(list)].sort(([left], [right]) => (left < right ? -1 : 1));
}
