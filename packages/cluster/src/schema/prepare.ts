import type { KubeObject } from "../types.ts";
import { isObject, type JsonObject, listAt, objectAt, sameJson, textAt } from "./json.ts";

/** Fields behind a feature gate that is off are dropped: the strategies' dropDisabledFields. */
function without(object: KubeObject, names: readonly string[], half = "spec"): KubeObject {
  const whole = objectAt(object, half);
  if (!whole || !names.some((name) => name in whole)) return object;
  const kept = Object.entries(whole).filter(([name]) => !names.includes(name));
  return { ...object, [half]: Object.fromEntries(kept) };
}

/** pkg/registry/core/serviceaccount strategy: of its Secrets only the names are kept. */
export function prepareServiceAccount(object: KubeObject): KubeObject {
  const secrets = listAt(object, "secrets");
  if (secrets.length === 0) return object;
  const named = secrets.map((secret) => (isObject(secret) && secret.name ? { name: secret.name } : {}));
  return { ...object, secrets: named };
}

export function prepareNamespace(object: KubeObject, previous: KubeObject | undefined): KubeObject {
  const spec = objectAt(object, "spec");
  if (previous) return { ...object, spec: { ...spec, ...finalizersOf(previous) } };
  const finalizers = listAt(spec, "finalizers");
  const all = finalizers.includes("kubernetes") ? finalizers : [...finalizers, "kubernetes"];
  return { ...object, spec: { ...spec, finalizers: all } };
}

/** They change only through the finalize endpoint. */
function finalizersOf(previous: KubeObject): JsonObject {
  const finalizers = objectAt(previous, "spec")?.finalizers;
  return finalizers === undefined ? {} : { finalizers };
}

/** pkg/registry/core/service/storage: values once given stay, families are those of a single-stack IPv4 cluster. */
export function prepareService(object: KubeObject, previous: KubeObject | undefined): KubeObject {
  const spec: JsonObject = { ...objectAt(object, "spec") };
  const type = textAt(spec, "type");
  const before = objectAt(previous, "spec");
  if (type === "ExternalName") {
    for (const name of ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"])
      delete spec[name];
    return { ...object, spec };
  }
  if (before && textAt(before, "type") !== "ExternalName") keepAllocations(spec, before);
  if (spec.clusterIP && listAt(spec, "clusterIPs").length === 0) spec.clusterIPs = [spec.clusterIP];
  if (!spec.clusterIP && listAt(spec, "clusterIPs").length > 0)
    spec.clusterIP = listAt(spec, "clusterIPs")[0];
  families(spec);
  return { ...object, spec };
}

function keepAllocations(spec: JsonObject, before: JsonObject): void {
  for (const name of ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"])
    if (before[name] !== undefined) spec[name] ??= before[name];
  const type = textAt(spec, "type");
  if (type !== "NodePort" && type !== "LoadBalancer") return;
  const known = listAt(before, "ports").filter(isObject);
  spec.ports = listAt(spec, "ports").map((port) => {
    if (!isObject(port) || port.nodePort) return port;
    const same = known.find((other) => other.port === port.port && other.protocol === port.protocol);
    return same?.nodePort ? { ...port, nodePort: same.nodePort } : port;
  });
}

function families(spec: JsonObject): void {
  const selector = objectAt(spec, "selector");
  const selectorless = !selector || Object.keys(selector).length === 0;
  const dual = spec.clusterIP === "None" && selectorless;
  if (listAt(spec, "ipFamilies").length === 0) spec.ipFamilies = dual ? ["IPv4", "IPv6"] : ["IPv4"];
  spec.ipFamilyPolicy ??= dual ? "RequireDualStack" : "SingleStack";
}

/**
 * pkg/api/persistentvolumeclaim: of dataSource only claims and snapshots are kept, the two fields are made alike, and
 * what lies in another namespace is behind a gate that is off.
 */
export function prepareClaim(whole: KubeObject, previous: KubeObject | undefined): KubeObject {
  const crosses = Boolean(objectAt(whole, "spec", "dataSourceRef")?.namespace);
  const before = objectAt(previous, "spec");
  const object = crosses && before?.dataSourceRef === undefined ? without(whole, ["dataSourceRef"]) : whole;
  const spec = objectAt(object, "spec");
  if (!spec) return object;
  const { dataSource, dataSourceRef } = spec;
  const had = before?.dataSource !== undefined || before?.dataSourceRef !== undefined;
  if (dataSource !== undefined && dataSourceRef === undefined)
    return had || isKnownSource(objectAt(spec, "dataSource"))
      ? { ...object, spec: { ...spec, dataSourceRef: dataSource } }
      : without(object, ["dataSource"]);
  const reference = objectAt(spec, "dataSourceRef");
  if (dataSource === undefined && reference && !reference.namespace)
    return { ...object, spec: { ...spec, dataSource: reference } };
  return object;
}

function isKnownSource(source: JsonObject | undefined): boolean {
  const kind = `${source?.apiGroup ?? ""}/${source?.kind}`;
  return kind === "/PersistentVolumeClaim" || kind === "snapshot.storage.k8s.io/VolumeSnapshot";
}

/** What is to be signed never changes: an update's is put aside. */
export function prepareSigningRequest(object: KubeObject, previous: KubeObject | undefined): KubeObject {
  return previous ? { ...object, spec: previous.spec } : object;
}

/** kube-aggregator's strategy: what no other server serves is available at once. */
export function prepareApiService(object: KubeObject, previous: KubeObject | undefined): KubeObject {
  if (previous || objectAt(object, "spec", "service")) return object;
  const available = {
    type: "Available",
    status: "True",
    lastTransitionTime: object.metadata.creationTimestamp,
    reason: "Local",
    message: "Local APIServices are always available",
  };
  return { ...object, status: { ...objectAt(object, "status"), conditions: [available] } };
}

/** How many Pods may be missing during an update is behind a gate that is off. */
export function prepareStatefulSet(object: KubeObject): KubeObject {
  const strategy = objectAt(object, "spec", "updateStrategy");
  const rolling = objectAt(strategy, "rollingUpdate");
  if (rolling?.maxUnavailable === undefined) return object;
  const { maxUnavailable: _dropped, ...rollingUpdate } = rolling;
  const updateStrategy = { ...strategy, rollingUpdate };
  return { ...object, spec: { ...objectAt(object, "spec"), updateStrategy } };
}

const jobNameLabels = ["batch.kubernetes.io/job-name", "job-name"];
const jobUidLabels = ["batch.kubernetes.io/controller-uid", "controller-uid"];

/** pkg/registry/batch/job/strategy.go generateSelector */
export function prepareJob(object: KubeObject, previous: KubeObject | undefined): KubeObject {
  const spec = objectAt(object, "spec");
  if (previous || !spec || spec.manualSelector === true) return object;
  const { name = "", uid = "" } = object.metadata;
  const template = objectAt(spec, "template");
  const metadata = objectAt(template, "metadata");
  const labels: JsonObject = { ...objectAt(metadata, "labels") };
  for (const label of jobNameLabels) labels[label] ??= name;
  for (const label of jobUidLabels) labels[label] ??= uid;
  const selector = objectAt(spec, "selector");
  const matchLabels = { "batch.kubernetes.io/controller-uid": uid, ...objectAt(selector, "matchLabels") };
  const own = object.metadata.labels;
  const inherits = own === undefined || sameJson(own, objectAt(metadata, "labels"));
  return {
    ...object,
    metadata: inherits ? { ...object.metadata, labels: textsOf(labels) } : object.metadata,
    spec: {
      ...spec,
      template: { ...template, metadata: { ...metadata, labels } },
      selector: { ...selector, matchLabels },
    },
  };
}

function textsOf(labels: JsonObject): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, String(value)]));
}

export const templateGeneration = "deprecated.daemonset.template.generation";

/** pkg/registry/apps/daemonset/strategy.go: counts the changes of the template. */
export function prepareDaemonSet(object: KubeObject, previous: KubeObject | undefined): KubeObject {
  const before = Number(previous?.metadata.annotations?.[templateGeneration] ?? 0);
  const same =
    previous && sameJson(objectAt(previous, "spec", "template"), objectAt(object, "spec", "template"));
  const annotations = {
    ...object.metadata.annotations,
    [templateGeneration]: String(same ? before : before + 1),
  };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

export const prepareNode = (object: KubeObject): KubeObject =>
  without(without(object, ["configSource"]), ["config"], "status");

export const prepareLease = (object: KubeObject): KubeObject =>
  without(object, ["strategy", "preferredHolder"]);

export const prepareCsiDriver = (object: KubeObject): KubeObject =>
  without(object, ["preventPodSchedulingIfMissing"]);
