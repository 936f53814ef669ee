import { createObject } from "../objects/create-object.ts";
import { deleteObject } from "../objects/delete-object.ts";
import type { World } from "../objects/world.ts";
import { crdType } from "../registry/registry.ts";
import type { Served } from "../registry/served.ts";
import type { LifecycleOptions } from "./garbage-collector.ts";
import { openWorklist } from "./worklist.ts";

const type = "apiregistration.k8s.io/apiservices";
const managedLabel = "kube-aggregator.kubernetes.io/automanaged";

/** pkg/controlplane/apiserver aggregator.go DefaultGenericAPIServicePriorities, and pkg/controlplane/apiserver.go */
const groupPriorities: Readonly<Record<string, number>> = {
  "": 18000,
  apps: 17800,
  "events.k8s.io": 17750,
  "authentication.k8s.io": 17700,
  "authorization.k8s.io": 17600,
  autoscaling: 17500,
  batch: 17400,
  "certificates.k8s.io": 17300,
  "networking.k8s.io": 17200,
  policy: 17100,
  "rbac.authorization.k8s.io": 17000,
  "storage.k8s.io": 16800,
  "apiextensions.k8s.io": 16700,
  "admissionregistration.k8s.io": 16700,
  "scheduling.k8s.io": 16600,
  "coordination.k8s.io": 16500,
  "node.k8s.io": 16300,
  "discovery.k8s.io": 16200,
  "flowcontrol.apiserver.k8s.io": 16100,
};
const versionPriorities: Readonly<Record<string, number>> = {
  "/v1": 1,
  "autoscaling/v2": 30,
  "flowcontrol.apiserver.k8s.io/v1": 21,
};
/**
 * The registration of APIServices is not itself registered, and neither is what is computed: the charts of the
 * programs that serve it elsewhere bring an APIService of their own, which helm does not take over from others.
 */
function isUnregistered({ group, resources }: Local): boolean {
  return group === "apiregistration.k8s.io" || resources.some(({ rules }) => rules.computed !== undefined);
}

/** Registers each group and version that is served here, as kube-aggregator's autoregister does. */
export function startApiServices({ world, signal, log }: LifecycleOptions): void {
  const { store, clock } = world;
  const worklist = openWorklist({
    work: () => settleAll(world),
    failed: (_, error) =>
      log({ level: "warn", message: "APIServices could not be kept", error: String(error) }),
    clock,
    signal,
  });
  worklist.add("all");
  for (const watched of [crdType, type])
    signal.addEventListener(
      "abort",
      store.subscribe(watched, () => worklist.add("all")),
      { once: true },
    );
}

function settleAll(world: World): void {
  const { store, registry } = world;
  const served = registry.byType(type);
  if (served === undefined) return;
  const wanted = new Set<string>();
  for (const { group, versions } of registry.groups())
    for (const { version, resources } of versions) {
      if (isUnregistered({ group, version, resources })) continue;
      const name = `${version}.${group}`;
      wanted.add(name);
      if (store.get(type, "", name) === undefined) register(world, served, { group, version, resources });
    }
  for (const live of store.list(type))
    if (live.object.metadata.labels?.[managedLabel] === "true" && !wanted.has(live.name))
      deleteObject(world, { served, live }, { dryRun: false });
}

interface Local {
  group: string;
  version: string;
  resources: readonly Served[];
}

function register(world: World, served: Served, { group, version, resources }: Local): void {
  const isCustom = resources.some(({ crd }) => crd !== undefined);
  const [groupPriorityMinimum, versionPriority] = isCustom
    ? [1000, 100]
    : [groupPriorities[group] ?? 16000, versionPriorities[`${group}/${version}`] ?? 15];
  const object = {
    apiVersion: served.apiVersion,
    kind: "APIService",
    metadata: { name: `${version}.${group}`, labels: { [managedLabel]: isCustom ? "true" : "onstart" } },
    spec: { ...(group && { group }), version, groupPriorityMinimum, versionPriority },
  };
  const options = { dryRun: false, manager: "kube-apiserver", subresource: "" };
  createObject(world, { served, namespace: "", object }, options);
}
