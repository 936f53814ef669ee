/** What attacks on image updates are made with. */
import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { Limiter } from "@capstan/flow";
import type { AttackWorld } from "./attack.ts";
import { withServer } from "./own-server.ts";

const prefix = "argocd-image-updater.argoproj.io/";
export const limit = () => AbortSignal.timeout(120_000);
export const secretRule =
  "an application names Secrets of its own namespace alone, and of Capstan's only what is marked for it";

export interface Sketch {
  name: string;
  annotations: Readonly<Record<string, string>>;
  repository?: string;
}

export async function createApplication(
  world: AttackWorld,
  { name, annotations, repository = "app" }: Sketch,
): Promise<void> {
  const own = Object.entries(annotations).map(([key, text]) => [`${prefix}${key}`, text]);
  const body = {
    metadata: { name, annotations: Object.fromEntries(own) },
    spec: {
      project: "team",
      source: { repoURL: `${world.at.gitUrl}/team-${repository}.git`, path: "app", targetRevision: "main" },
      destination: { server: "https://kubernetes.default.svc", namespace: `team-${name}` },
    },
  };
  const created = await world.ask("alice", "POST /api/v1/applications?validate=false", { body });
  assert.equal(created.status, 200, JSON.stringify(created.body));
}

/** There is one registries.conf, and attacks are played side by side. */
const turns = new Limiter({ atOnce: 1 });

/** A registry of the attacker's that the operator has named. */
export function withRegistry(
  world: AttackWorld,
  listener: RequestListener,
  work: (host: string) => Promise<void>,
): Promise<void> {
  const play = () =>
    withServer(listener, async (url) => {
      const { host } = new URL(url);
      const map = {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "argocd-image-updater-config", namespace: "argocd" },
        data: { "registries.conf": `registries: [{prefix: "${host}", api_url: "${url}", limit: 0}]` },
      };
      await world.capstan.kube.apply(map, { fieldManager: "operator", force: true, signal: limit() });
      await work(host);
    });
  return turns.run(play, new AbortController().signal);
}

export const listing =
  (tags: readonly unknown[], headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    response.writeHead(200, headers).end(JSON.stringify({ tags }));
