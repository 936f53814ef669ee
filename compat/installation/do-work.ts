import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { isRecord } from "@capstan/formats";
import { eventually, type GitRepository } from "@capstan/testkit";
import type { StartedParts } from "./start-parts.ts";
import type { InstallWorld } from "./tools.ts";

const limitMs = 60_000;
const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 0
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web}]}
`;

/** What the repository of `doWork` holds. */
export const workFiles = {
  "shop/map.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: map}\ndata: {a: b}\n",
  "shop/deployment.yaml": deployment,
  "shop/kustomization.yaml": "resources: [map.yaml, deployment.yaml]\n",
  "whole-shop/kustomization.yaml": "resources: [../shop, role.yaml]\n",
  "whole-shop/role.yaml":
    "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: shop}\nrules: [{apiGroups: [''], resources: [pods], verbs: [get]}]\n",
  "chart/Chart.yaml": "apiVersion: v2\nname: chart\nversion: 1.0.0\n",
  "chart/templates/map.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: from-chart}\n",
  "kustomized/kustomization.yaml": "resources: [map.yaml]\nnamePrefix: from-\n",
  "kustomized/map.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kustomization}\n",
};

export interface Work {
  readonly world: InstallWorld;
  readonly parts: StartedParts;
  readonly repository: GitRepository;
  /** Of the installation. */
  readonly namespace: string;
  /** What is deployed lies there too, and nothing of it in no namespace. */
  readonly isNamespaced?: boolean;
}

export type Call = (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>;

/**
 * What people do with an installation, by its API, as admin: an application is made, synced, looked at, acted on and
 * deleted; a set makes two; a notification arrives. Throws where one of it fails.
 */
export async function doWork(work: Work): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const told = opened.use(await listen());
  await setUpNotifications(work, told.url);
  const call = await logIn(work);
  const { repository, isNamespaced = false } = work;
  const place = isNamespaced ? work.namespace : "shop";
  const destination = { server: "https://kubernetes.default.svc", namespace: place };
  const source = { repoURL: repository.url, targetRevision: "main" };
  const syncPolicy = { automated: {}, syncOptions: isNamespaced ? [] : ["CreateNamespace=true"] };
  const spec = { project: "default", destination, syncPolicy };
  await call("POST", "/api/v1/applications", {
    metadata: { name: "shop", finalizers: ["resources-finalizer.argocd.argoproj.io"] },
    spec: { ...spec, source: { ...source, path: isNamespaced ? "shop" : "whole-shop" } },
  });
  await call("POST", "/api/v1/applicationsets", {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "ApplicationSet",
    metadata: { name: "made" },
    spec: {
      goTemplate: true,
      generators: [{ list: { elements: [{ name: "chart" }, { name: "kustomized" }] } }],
      template: {
        metadata: { name: "{{.name}}" },
        spec: { ...spec, source: { ...source, path: "{{.name}}" } },
      },
    },
  });
  for (const name of ["shop", "chart", "kustomized"]) await untilWell(call, name);
  await until("a notification of shop", async () => told.bodies().includes("shop is synced") || undefined);
  await lookAt(call, place);
  await call("DELETE", "/api/v1/applicationsets/made");
  await call("DELETE", "/api/v1/applications/shop?cascade=true");
  const find = (name: string) =>
    work.world.kubectl("get", name, "-n", place, "--ignore-not-found", "-o", "name");
  await until("shop's objects are gone", async () => {
    const left = await Promise.all(["deployment/web", "configmap/map", "clusterrole/shop"].map(find));
    return left.join("").trim() === "" || undefined;
  });
}

async function lookAt(call: Call, place: string): Promise<void> {
  const web = `resourceName=web&namespace=${place}&group=apps&kind=Deployment&version=v1`;
  for (const path of [
    "resource-tree",
    "managed-resources",
    "manifests",
    "events",
    `resource?${web}`,
    `resource/actions?${web}`,
  ])
    await call("GET", `/api/v1/applications/shop/${path}`);
  await call("POST", `/api/v1/applications/shop/resource/actions/v2`, {
    ...{
      name: "shop",
      namespace: place,
      resourceName: "web",
      version: "v1",
      group: "apps",
      kind: "Deployment",
    },
    action: "restart",
  });
  await call("POST", "/api/v1/projects", {
    project: { metadata: { name: "team" }, spec: { sourceRepos: ["*"] } },
  });
  await call("DELETE", "/api/v1/projects/team");
  await call("POST", "/api/v1/repositories", { repo: "https://git.invalid/a.git", project: "" }).catch(
    unlessForbidden,
  );
  await call("GET", "/api/v1/clusters");
  await call("DELETE", `/api/v1/applications/shop/resource?${web}`);
}

/** It may fail for what it is (a server that is not there), not for want of a right. */
function unlessForbidden(error: unknown): void {
  if (/forbidden/i.test(String(error))) throw error;
}

/** Calls of the API as admin; `url`: of one of several servers. */
export async function logIn({ world, parts, namespace }: Work, url = parts.url): Promise<Call> {
  const words = [
    "get",
    "secret",
    "-n",
    namespace,
    "argocd-initial-admin-secret",
    "-o",
    "jsonpath={.data.password}",
  ];
  const password = Buffer.from(await world.kubectl(...words), "base64").toString();
  let token = "";
  const call: Call = async (method, path, body) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { "content-type": "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}) },
      signal: AbortSignal.timeout(limitMs),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === "" ? {} : JSON.parse(text);
  };
  token = String((await call("POST", "/api/v1/session", { username: "admin", password })).token);
  return call;
}

export function untilWell(call: Call, name: string): Promise<unknown> {
  let seen = "";
  return until(
    `${name} is synced`,
    async () => {
      const { status } = await call("GET", `/api/v1/applications/${name}`).catch((error) => ({
        status: String(error),
      }));
      seen = JSON.stringify(status);
      const well = isRecord(status) && isRecord(status.sync) && isRecord(status.health);
      return (well && JSON.stringify([status.sync, status.health]).match(/"Synced".*"Healthy"/)) || undefined;
    },
    () => seen,
  );
}

export const until = <T>(what: string, probe: () => Promise<T | undefined>, seen = (): string => "") =>
  eventually(probe, { signal: AbortSignal.timeout(limitMs), describe: () => `not yet: ${what}: ${seen()}` });

async function setUpNotifications({ world, namespace }: Work, url: string): Promise<void> {
  const data = {
    "service.webhook.hook": `url: ${url}\n`,
    "template.synced": 'webhook:\n  hook:\n    method: POST\n    body: "{{.app.metadata.name}} is synced"\n',
    "trigger.on-synced": "- when: app.status.sync.status == 'Synced'\n  send: [synced]\n",
    subscriptions: "- recipients: [hook]\n  triggers: [on-synced]\n",
  };
  const map = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "argocd-notifications-cm", namespace },
    data,
  };
  await world.cluster.kube.apply(map, {
    fieldManager: "test",
    force: true,
    signal: AbortSignal.timeout(limitMs),
  });
}

async function listen(): Promise<{ url: string; bodies(): string } & AsyncDisposable> {
  let bodies = "";
  const server = createServer(async (request, response) => {
    for await (const part of request) bodies += String(part);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    bodies: () => bodies,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
