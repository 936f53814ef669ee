/** What pages of docs/ speak of, started for them: for each name in a page what stands for it here. */
import assert from "node:assert/strict";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { KubeClient } from "@capstan/kube";
import {
  deploymentText,
  freePorts,
  realClock,
  startGitServer,
  startOidcProvider,
  startTraceReceiver,
} from "@capstan/testkit";
import { installCrds } from "../surroundings/install-crds.ts";
import { startTestVault } from "../up/test-secrets.ts";
import { type Names, scriptOf } from "./page-script.ts";
import type { Place } from "./place.ts";

/** The cluster that a reader has. */
export interface PageCluster extends AsyncDisposable {
  readonly kubeconfig: string;
  readonly kube: KubeClient;
}

export interface Preparation {
  /** Ends with the page. */
  readonly opened: AsyncDisposableStack;
  readonly place: Place;
  readonly cluster: PageCluster | undefined;
}

const limitMs = 60_000;

/** Free ports in place of those that a page names. */
async function portsFor(...named: readonly string[]): Promise<Names> {
  const ports = await freePorts(named.length);
  return Object.fromEntries(named.map((name, index) => [name, `${ports[index]}`]));
}

/** A Capstan that runs, as a page says where it begins. */
async function startCapstanIn(place: Place): Promise<void> {
  await place.type(`${scriptOf([], {})}capstan up --detach --no-samples`);
}

/** An OpenID provider, and a browser in which somebody is logged in there. */
export async function prepareSignOn({ opened, place }: Preparation): Promise<Names> {
  const { "8085": callback = "" } = await portsFor("8085");
  const page = `http://${place.names["127.0.0.1:8080"]}`;
  const provider = opened.use(
    await startOidcProvider({
      clients: [
        { id: "argo-cd", secret: "what the provider gave", redirectUris: [`${page}/auth/callback`] },
        { id: "argo-cd-cli", redirectUris: [`http://localhost:${callback}/auth/callback`] },
      ],
      user: { sub: "ada", email: "ada@example.com", groups: ["developers"] },
    }),
  );
  const browser = join(place.bin, "xdg-open");
  await writeFile(browser, '#!/bin/sh\ncurl -sL "$1" >/dev/null\n');
  await chmod(browser, 0o755);
  await startCapstanIn(place);
  return {
    "https://id.example.com": provider.url,
    "https://cd.example.com": page,
    "cd.example.com": page.replace("http://", ""),
    "--sso": `--sso --sso-port ${callback}`,
  };
}

/** A collector, and what Prometheus' operator brings. */
export async function prepareObserving({ opened, cluster }: Preparation): Promise<Names> {
  const collector = opened.use(await startTraceReceiver());
  opened.defer(() => assert.ok(collector.spans.length > 0, "no trace has come"));
  assert.ok(cluster);
  const options = { fieldManager: "test", force: true, signal: AbortSignal.timeout(limitMs) };
  const group = "monitoring.coreos.com";
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  await cluster.kube.apply(
    {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `prometheusrules.${group}` },
      spec: {
        group,
        scope: "Namespaced",
        names: { kind: "PrometheusRule", plural: "prometheusrules" },
        versions: [{ name: "v1", served: true, storage: true, schema }],
      },
    },
    options,
  );
  await cluster.kube.apply(
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "monitoring" } },
    options,
  );
  return { ...(await portsFor("8083")), "otel-collector:4317": collector.url };
}

/** A repository over HTTP, and a Vault that holds what its placeholder names. */
export async function preparePasted({ opened }: Preparation): Promise<Names> {
  const vault = opened.use(await startTestVault("s.token", { web: { password: "hunter2" } }));
  const server = opened.use(await startGitServer());
  await server.createRepository("web", {
    "web/kustomization.yaml": "resources: [deployment.yaml, secret.yaml]\n",
    "web/deployment.yaml": deploymentText("web", { image: "example/web" }),
    "web/secret.yaml":
      "apiVersion: v1\nkind: Secret\nmetadata: { name: web, annotations: { avp.kubernetes.io/path: secret/data/web } }\nstringData: { password: <password> }\n",
  });
  return { "https://vault.example": vault.address, "https://git.example": server.url };
}

/** A cluster as Argo CD leaves it. */
export async function prepareFromArgoCD({ cluster }: Preparation): Promise<Names> {
  assert.ok(cluster);
  const signal = AbortSignal.timeout(limitMs);
  await installCrds({ kube: cluster.kube, clock: realClock, signal });
  const options = { fieldManager: "argocd", force: true, signal };
  const metadata = { name: "argocd-cm", namespace: "argocd" };
  await cluster.kube.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "argocd" } }, options);
  const settings = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { "ga.trackingid": "UA-1" } };
  await cluster.kube.apply(settings, options);
  return {};
}

export const preparePrograms = (): Promise<Names> => portsFor("8081", "8082", "8084");
