import { isRecord } from "@capstan/formats";
import { isNotFound, type KubeClient } from "@capstan/kube";
import { argoApiVersion, type Manifest } from "@capstan/model";
import { sketchApplication, sketchProject } from "@capstan/testkit";
import { type Case, namespaceOf, type Step } from "./case.ts";

/** One of the two: a cluster, and a controller that works on it. */
export interface Side {
  readonly name: "Argo CD" | "Capstan";
  readonly kube: KubeClient;
}

const limit = () => AbortSignal.timeout(60_000);
const appRef = (name: string) => ({
  apiVersion: argoApiVersion,
  kind: "Application",
  namespace: "argocd",
  name,
});

/** Everything of a case but its repository. */
export async function place({ kube }: Side, one: Case, repoURL: string): Promise<void> {
  const create = (object: Manifest) => kube.create(object, { signal: limit() });
  const namespace = namespaceOf(one);
  if (!one.isNew) await create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  for (const object of one.before ?? []) await create(inNamespace(object, namespace));
  if (one.project) await create(sketchProject(one.name, one.project));
  await create(applicationOf(one, repoURL));
}

function inNamespace(object: Manifest, namespace: string): Manifest {
  return { ...object, metadata: { namespace, ...object.metadata } };
}

function applicationOf(one: Case, repoURL: string): Manifest {
  const { source, sources, destination, ...more } = one.spec ?? {};
  const app = sketchApplication({
    name: one.name,
    repoURL,
    path: "app",
    source: isRecord(source) ? source : {},
    ...(one.project ? { project: one.name } : {}),
    syncPolicy: {},
  });
  const there = { server: "https://kubernetes.default.svc", namespace: namespaceOf(one) };
  const fields = { ...(isRecord(app.spec) ? app.spec : {}), destination: destination ?? there, ...more };
  const spec = Array.isArray(sources) ? withSources(fields, sources, repoURL) : fields;
  const annotations = { ...one.annotations };
  return { ...app, metadata: { ...app.metadata, annotations }, spec };
}

function withSources(
  { source: _, ...spec }: Record<string, unknown>,
  sources: readonly unknown[],
  repoURL: string,
) {
  const usual = { repoURL, targetRevision: "main" };
  return { ...spec, sources: sources.map((one) => ({ ...usual, ...(isRecord(one) ? one : {}) })) };
}

/** Of the side's own; commits are of both. */
export async function act({ kube }: Side, one: Case, step: Step): Promise<void> {
  const signal = limit();
  const patch = (ref: Parameters<KubeClient["patch"]>[0], body: object) =>
    kube.patch(ref, { type: "merge", body }, { signal });
  const placed = <T extends { namespace?: string }>(ref: T) => {
    const { namespace = namespaceOf(one), ...rest } = ref;
    return { ...rest, ...(namespace === "" ? {} : { namespace }) };
  };
  if ("sync" in step) {
    const { retry, ...sync } = step.sync;
    const initiatedBy = { username: "admin" };
    const operation = { sync, initiatedBy, ...(retry ? { retry } : {}) };
    // As argocd-server does, else the results of the one before count for it (util/argo/argo.go SetAppOperation).
    await patch(appRef(one.name), { operation, status: { operationState: null } });
  } else if ("app" in step) await patch(appRef(one.name), step.app);
  else if ("patch" in step) await patch(placed(step.patch), step.body);
  else if ("terminate" in step)
    await patch(appRef(one.name), { status: { operationState: { phase: "Terminating" } } });
  else if ("remove" in step)
    await kube.delete(placed(step.remove), { signal }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
}

export async function refresh({ kube }: Side, { name }: Case): Promise<void> {
  const body = { metadata: { annotations: { "argocd.argoproj.io/refresh": "normal" } } };
  await kube.patch(appRef(name), { type: "merge", body }, { signal: limit() }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}

/** Nothing that was asked for is left to do, or what is under way waits for ever. */
export async function isSettled({ kube }: Side, { name, waits }: Case): Promise<boolean> {
  const app = await kube.get(appRef(name), limit());
  if (!app) return true;
  if (app.metadata.annotations?.["argocd.argoproj.io/refresh"] !== undefined) return false;
  if (app.metadata.annotations?.["argocd.argoproj.io/skip-reconcile"] === "true") return true;
  const status = isRecord(app.status) ? app.status : {};
  const state = isRecord(status.operationState) ? status.operationState : {};
  if (status.reconciledAt === undefined && status.conditions === undefined) return false;
  if (waits) return true;
  return app.operation === undefined && state.phase !== "Running" && state.phase !== "Terminating";
}
