import { crds } from "@capstan/model";
import {
  type EmbeddedClusterProcess,
  lackingArgoCD,
  startArgoCD,
  startEmbeddedCluster,
} from "@capstan/testkit";
import type { FuzzedRequest } from "./requests.ts";

/** The real argocd-server, asked for what Capstan has called an internal error (13): bytes that are no message. */
export interface Beside extends AsyncDisposable {
  /** Its status; undefined: it ended instead. */
  statusOf(request: FuzzedRequest): Promise<string | undefined>;
}

const limitMs = 30_000;
const programs = ["redis-server", "argocd-server"] as const;

export async function startBeside(codeOf: (answer: Response, text: string) => string): Promise<Beside> {
  const lacking = lackingArgoCD();
  if (lacking) throw new Error(lacking);
  await using opened = new AsyncDisposableStack();
  const cluster = opened.use(await startEmbeddedCluster());
  const applied = { fieldManager: "fuzz", force: true, signal: AbortSignal.timeout(limitMs) };
  await cluster.kube.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "argocd" } }, applied);
  for (const crd of crds()) await cluster.kube.apply(crd, applied);
  let running = await startServer(cluster);
  opened.defer(() => running[Symbol.asyncDispose]());
  const closing = opened.move();
  // One after the other: what one has ended the next would not find.
  let last: Promise<unknown> = Promise.resolve();
  const ask = async ({ method, path, headers, body }: FuzzedRequest): Promise<string | undefined> => {
    const signal = AbortSignal.timeout(limitMs);
    try {
      const answer = await fetch(running.url + path, {
        method,
        headers,
        signal,
        ...(body === undefined ? {} : { body }),
      });
      return codeOf(answer, Buffer.from(await answer.arrayBuffer()).toString("utf8"));
    } catch {
      await running[Symbol.asyncDispose]();
      running = await startServer(cluster);
      return undefined;
    }
  };
  return {
    statusOf(request) {
      const asked = last.then(() => ask(request));
      last = asked;
      return asked;
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

function startServer(cluster: EmbeddedClusterProcess) {
  return startArgoCD(cluster, { only: programs });
}
