import { type HookAction, mask, type SyncAction, type SyncOutcome } from "@capstan/engine";
import type { Clock } from "@capstan/flow";
import { applyObject, isConflict, isNotFound, type TenantCluster } from "@capstan/kube";
import { apiVersionOf, finalizers, formatKey, keyOf, type Manifest, messageOf } from "@capstan/model";
import { withNamespaceHint } from "./namespace-hint.ts";

interface Needs {
  cluster: TenantCluster;
  clock: Clock;
}

/** Does one step of a plan. What the cluster refuses is an outcome, not an error. */
export async function performAction(
  needs: Needs,
  action: SyncAction,
  signal: AbortSignal,
): Promise<SyncOutcome> {
  try {
    return { action, ok: true, message: await perform(needs, action, signal) };
  } catch (error) {
    signal.throwIfAborted();
    return { action, ok: false, message: withNamespaceHint(withoutSecrets(action, messageOf(error))) };
  }
}

async function perform(needs: Needs, action: SyncAction, signal: AbortSignal): Promise<string> {
  switch (action.act) {
    case "apply":
      return apply(needs, action, signal);
    case "prune":
      return prune(needs, action, signal);
    case "delete-hook":
      return deleteHook(needs, action, signal);
    case "release-hook":
      await releaseHook(needs, action, signal);
      return "released";
  }
}

async function apply(
  { cluster, clock }: Needs,
  { task, dryRun }: Extract<SyncAction, { act: "apply" }>,
  signal: AbortSignal,
): Promise<string> {
  const { mode, target, key } = task;
  const { object, message } = await applyObject(
    { client: cluster.client, clock },
    { object: target, live: cluster.live.get(key), mode, dryRun, signal },
  );
  if (dryRun) return `${message} (dry run)`;
  cluster.live.observe(object);
  if (target.kind === "CustomResourceDefinition") await cluster.live.refreshKinds(signal);
  return message;
}

async function prune(
  { cluster }: Needs,
  { task, dryRun }: Extract<SyncAction, { act: "prune" }>,
  signal: AbortSignal,
): Promise<string> {
  if (dryRun) return "pruned (dry run)";
  await deleteLive(cluster, { object: task.live, propagation: task.propagation }, signal);
  return "pruned";
}

export interface Removal {
  object: Manifest;
  propagation: "Foreground" | "Background" | "Orphan";
}

/** Deletes the very object that was seen, not another of its name, and lets the live state know. */
export async function deleteLive(
  cluster: TenantCluster,
  { object, propagation }: Removal,
  signal: AbortSignal,
): Promise<void> {
  const key = keyOf(object);
  const uid = object.metadata.uid ?? "";
  const current = cluster.live.get(key);
  if (current?.metadata.uid === uid && current.metadata.deletionTimestamp !== undefined) return;
  const left = await cluster.client.delete(refOf(object), {
    signal,
    propagation,
    ...(uid === "" ? {} : { uid }),
  });
  // An object that is gone at once comes back without a deletion time, or not at all.
  if (left?.metadata.deletionTimestamp !== undefined) cluster.live.observe(left);
  else cluster.live.forget(key, uid);
}

async function deleteHook(needs: Needs, hook: HookAction, signal: AbortSignal): Promise<string> {
  const object = await releaseHook(needs, hook, signal);
  if (object) await deleteLive(needs.cluster, { object, propagation: "Foreground" }, signal);
  return `${formatKey(hook.key)} deleted`;
}

const releaseAttempts = 5;

/**
 * Takes our finalizer off; whoever writes the object at the same time is waited out. Undefined where that very object is
 * gone: what bears its name now was made by whoever knew more, and is not touched.
 */
export async function releaseHook(
  { cluster }: Pick<Needs, "cluster">,
  { key, version, uid }: HookAction,
  signal: AbortSignal,
): Promise<Manifest | undefined> {
  const { namespace, name, kind, group } = key;
  const ref = { apiVersion: apiVersionOf(group, version), kind, namespace, name };
  let object = cluster.live.get(key) ?? (await cluster.client.get(ref, signal));
  for (let attempt = 1; ; attempt += 1) {
    if (!object || (uid !== undefined && object.metadata.uid !== uid)) {
      cluster.live.forget(key, uid ?? "");
      if (object) cluster.live.observe(object);
      return undefined;
    }
    const held = object.metadata.finalizers ?? [];
    if (!held.some((finalizer) => finalizer === finalizers.hook)) return object;
    const rest = held.filter((finalizer) => finalizer !== finalizers.hook);
    const { resourceVersion } = object.metadata;
    const metadata = { finalizers: rest, ...(resourceVersion ? { resourceVersion } : {}) };
    try {
      const released = await cluster.client.patch(ref, { type: "merge", body: { metadata } }, { signal });
      cluster.live.observe(released);
      return released;
    } catch (error) {
      if (!isNotFound(error) && (!isConflict(error) || attempt === releaseAttempts)) throw error;
      object = isNotFound(error) ? undefined : await cluster.client.get(ref, signal);
    }
  }
}

function refOf({ apiVersion, kind, metadata }: Manifest) {
  return { apiVersion, kind, namespace: metadata.namespace, name: metadata.name ?? "" };
}

/** Wordings after which an API server quotes what it refuses. */
const quoting = /(\bgot |Invalid value: |Unsupported value: )[^\n]*/g;

/** An API server may quote what it refuses; the values of a Secret are nobody's business. */
function withoutSecrets(action: SyncAction, message: string): string {
  if (action.act !== "apply" || action.task.target.kind !== "Secret") return message;
  const { data, stringData } = action.task.target;
  const values = [...leavesOf(data), ...leavesOf(stringData)].filter((value) => value.length > 2);
  const forms = values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]);
  const masked = forms.reduce((text, form) => text.replaceAll(form, mask), message);
  return masked.replace(quoting, `$1${mask}`);
}

function leavesOf(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  return typeof value === "object" ? Object.values(value).flatMap(leavesOf) : [String(value)];
}
