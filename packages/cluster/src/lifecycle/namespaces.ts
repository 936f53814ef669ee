import { createObject } from "../objects/create-object.ts";
import { deleteObject } from "../objects/delete-object.ts";
import { updateObject } from "../objects/update-object.ts";
import type { World } from "../objects/world.ts";
import type { Entry } from "../store/entry.ts";
import { isRecord, type KubeObject } from "../types.ts";
import type { LifecycleOptions } from "./garbage-collector.ts";
import { namespaceConditions } from "./namespace-conditions.ts";
import { openWorklist } from "./worklist.ts";

export interface NamespaceOptions extends LifecycleOptions {
  caCertificate: string;
}

const manager = "capstan-namespace-controller";

/** Gives each namespace what every namespace has, and empties those that are being deleted. Keys are names. */
export function startNamespaces({ world, signal, log, caCertificate }: NamespaceOptions): void {
  const { store, clock } = world;
  const worklist = openWorklist({
    work: (name) => settleNamespace(world, name, caCertificate),
    failed: (name, error) =>
      log({ level: "warn", message: `namespace ${name} could not be settled`, error: String(error) }),
    clock,
    signal,
  });
  for (const { name } of store.list("/namespaces")) worklist.add(name);
  const end = store.subscribe("*", ({ kind, entry, previous }) => {
    if (entry.type === "/namespaces") {
      if (kind !== "DELETED") worklist.add(entry.name);
    } else if (entry.namespace !== "" && (kind === "DELETED" || previous === undefined)) {
      const isOwn = entry.name === rootCertificate || entry.name === "default";
      if (isOwn || isTerminating(store.get("/namespaces", "", entry.namespace)))
        worklist.add(entry.namespace);
    }
  });
  signal.addEventListener("abort", end, { once: true });
}

const rootCertificate = "kube-root-ca.crt";

function settleNamespace(world: World, name: string, caCertificate: string): void {
  const namespace = world.store.get("/namespaces", "", name);
  if (namespace === undefined) return;
  if (isTerminating(namespace)) empty(world, namespace);
  else furnish(world, name, caCertificate);
}

function furnish(world: World, name: string, caCertificate: string): void {
  ensure(world, "/serviceaccounts", {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "default", namespace: name },
  });
  ensure(world, "/configmaps", {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: rootCertificate,
      namespace: name,
      annotations: {
        "kubernetes.io/description": "Contains a CA bundle that can be used to verify this API server.",
      },
    },
    data: { "ca.crt": caCertificate },
  });
}

function ensure(world: World, type: string, object: KubeObject): void {
  const { namespace = "", name = "" } = object.metadata;
  const served = world.registry.byType(type);
  if (served === undefined || world.store.get(type, namespace, name) !== undefined) return;
  createObject(world, { served, namespace, object }, { dryRun: false, manager, subresource: "" });
}

function isTerminating(namespace: Entry | undefined): boolean {
  return namespace?.object.metadata.deletionTimestamp !== undefined;
}

function empty(world: World, namespace: Entry): void {
  const left = endContent(world, namespace.name);
  const status = isRecord(namespace.object.status) ? namespace.object.status : {};
  const spec = isRecord(namespace.object.spec) ? namespace.object.spec : {};
  if (left.length === 0)
    write(world, namespace, {
      object: { ...namespace.object, spec: { ...spec, finalizers: [] } },
      subresource: "finalize",
    });
  else {
    const conditions = namespaceConditions(left, status.conditions, world.clock);
    const object = { ...namespace.object, status: { ...status, conditions } };
    write(world, namespace, { object, subresource: "status" });
  }
}

/** Deletes what is there and returns what stays for now. Pods go first: the rest may be what protects them (KEP-5080). */
function endContent(world: World, namespace: string): Entry[] {
  const pods = endAll(world, "/pods", namespace);
  if (pods.length > 0) return pods;
  return world.store.types().flatMap((type) => endAll(world, type, namespace));
}

function endAll(world: World, type: string, namespace: string): Entry[] {
  const served = world.registry.byType(type);
  if (served === undefined || !served.info.namespaced) return [];
  const options = { dryRun: false, propagation: "Background" } as const;
  return world.store.list(type, namespace).filter((live) => {
    const isMarked = live.object.metadata.deletionTimestamp !== undefined;
    return isMarked || !deleteObject(world, { served, live }, options).gone;
  });
}

function write(
  world: World,
  live: Entry,
  { object, subresource }: { object: KubeObject; subresource: string },
): void {
  const served = world.registry.byType("/namespaces");
  if (served !== undefined)
    updateObject(world, { served, live, object }, { dryRun: false, manager, subresource });
}
