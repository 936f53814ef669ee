import { canonicalJson, isRecord } from "@capstan/formats";
import type { KubeClient } from "@capstan/kube";
import { argoApiVersion, type Manifest } from "@capstan/model";

/** What is compared, by what it is called; as JSON. */
export type Observation = ReadonlyMap<string, string>;

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields => (isRecord(value) ? value : {});
const rowsOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isRecord) : []);
const text = (value: unknown): string => (typeof value === "string" ? value : "");

const kept = ["ConfigMap", "Secret", "Service", "Deployment", "Job", "Pod", "ServiceAccount"] as const;
const versions: Readonly<Record<string, string>> = { Deployment: "apps/v1", Job: "batch/v1" };

/** What the Application says, what was said of it, and what the cluster holds of it. */
export async function observe(
  kube: KubeClient,
  { name, namespace }: { name: string; namespace: string },
  signal: AbortSignal,
): Promise<Observation | undefined> {
  const ref = { apiVersion: argoApiVersion, kind: "Application", namespace: "argocd", name };
  const app = await kube.get(ref, signal);
  if (!app) return undefined;
  const found = new Map<string, unknown>([...statusOf(app), ...(await objectsOf(kube, namespace, signal))]);
  found.set("events", await eventsOf(kube, name, signal));
  return new Map(
    [...found].map(([key, value]) => [withoutTimes(key), withoutTimes(canonicalJson(value ?? null))]),
  );
}

/** Go writes what is empty. */
function withoutEmpty(value: unknown): unknown {
  const isEmpty = (one: unknown) => isRecord(one) && Object.keys(one).length === 0;
  return JSON.parse(JSON.stringify(value ?? null, (_key, one) => (isEmpty(one) ? undefined : one)));
}

function* statusOf(app: Manifest): Generator<[string, unknown]> {
  const status = fieldsOf(app.status);
  const sync = fieldsOf(status.sync);
  yield ["sync", sync.status];
  yield ["revision", sync.revision || sync.revisions];
  yield ["health", fieldsOf(status.health).status];
  yield ["source type", status.sourceType ?? status.sourceTypes];
  yield ["images", [...rowsOf([]), ...listOf(fieldsOf(status.summary).images)].sort()];
  yield ["history", rowsOf(status.history).map(({ id, revision, revisions }) => [id, revision ?? revisions])];
  yield ["finalizers", [...(app.metadata.finalizers ?? [])].sort()];
  for (const [type, messages] of conditionsOf(status)) yield [`condition ${type}`, messages];
  for (const row of rowsOf(status.resources)) {
    const { group, kind, namespace, name, health: _, ...rest } = row;
    yield [`resource ${keyOf({ group, kind, namespace, name })}`, sorted(rest)];
  }
  const state = fieldsOf(status.operationState);
  yield ["phase", state.phase];
  yield ["message", state.message];
  yield ["retries", state.retryCount ?? 0];
  const result = fieldsOf(state.syncResult);
  yield ["synced revision", result.revision || result.revisions];
  yield ["synced source", withoutEmpty(result.sources ?? result.source)];
  for (const row of rowsOf(result.resources)) {
    const { group, kind, namespace, name, syncPhase, ...rest } = row;
    yield [`result ${text(syncPhase)} ${keyOf({ group, kind, namespace, name })}`, sorted(rest)];
  }
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function conditionsOf(status: Fields): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { type, message } of rowsOf(status.conditions))
    found.set(text(type), [...(found.get(text(type)) ?? []), text(message)].sort());
  return found;
}

const keyOf = ({ group, kind, namespace, name }: Fields): string =>
  `${text(group)}/${text(kind)} ${text(namespace)}/${text(name)}`;

/** Empty values are left out, as Go does. */
const sorted = (fields: Fields): object =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== "" && value !== undefined && value !== false && value !== 0)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

/** Names made of moments, and moments. */
function withoutTimes(said: string): string {
  return said
    .replaceAll(/-(presync|sync|postsync|syncfail)-\d{9,}/g, "-$1-TIME")
    .replaceAll(/Retrying attempt #(\d+) at [^."]+/g, "Retrying attempt #$1 at TIME")
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "TIME");
}

async function* listed(kube: KubeClient, namespace: string, signal: AbortSignal): AsyncGenerator<Manifest> {
  for (const kind of kept) {
    const apiVersion = versions[kind] ?? "v1";
    const { items } = await kube.list({ apiVersion, kind, namespace }, signal);
    for (const item of items) yield { ...item, apiVersion, kind };
  }
}

const ofItself = /^(kube-root-ca\.crt|default)$/;

/** What a sync leaves behind: without what servers write, and without how it was applied. */
async function objectsOf(kube: KubeClient, namespace: string, signal: AbortSignal) {
  const found: [string, unknown][] = [];
  for await (const { kind, metadata, ...rest } of listed(kube, namespace, signal)) {
    if (ofItself.test(metadata.name ?? "")) continue;
    const { annotations = {}, labels = {}, finalizers = [] } = metadata;
    const name = metadata.ownerReferences ? `${metadata.ownerReferences[0]?.name} owns` : metadata.name;
    const { status: _, spec, data, type } = rest;
    const said = Object.entries(annotations).filter(([key]) => !/last-applied|revision$/.test(key));
    found.push([
      `object ${kind} ${name}`,
      {
        annotations: sorted(Object.fromEntries(said)),
        labels: sorted(withoutIds(labels)),
        finalizers,
        data,
        type,
        spec: steady(spec),
      },
    ]);
  }
  return found.filter(([key]) => !/^object (Pod|ReplicaSet) /.test(key));
}

const withoutIds = (labels: object): Fields =>
  Object.fromEntries(Object.entries(labels).filter(([key]) => !key.endsWith("controller-uid")));

/** What the cluster chooses. */
function steady(spec: unknown): unknown {
  return JSON.parse(
    JSON.stringify(spec ?? null, (key, value) =>
      /^(clusterIPs?|nodePort|nodeName|selector|template)$/.test(key) ? undefined : value,
    ),
  );
}

/** How often it was looked at, and what was seen on the way, is chance. */
const byChance = /health status|sync status: {2}-> OutOfSync|Updated (sync|health)/;

async function eventsOf(kube: KubeClient, name: string, signal: AbortSignal): Promise<string[]> {
  const { items } = await kube.list({ apiVersion: "v1", kind: "Event", namespace: "argocd" }, signal);
  const own = items.filter(({ involvedObject }) => fieldsOf(involvedObject).name === name);
  const told = own.map(({ type, reason, message }) => `${text(type)} ${text(reason)}: ${text(message)}`);
  return [...new Set(told)].filter((one) => !byChance.test(one)).sort();
}
