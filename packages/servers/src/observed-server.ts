import type { ServerResponse } from "node:http";
import { createLimitedServer } from "./limited-server.ts";
import { listenOn } from "./listen-on.ts";
import { type HostRules, isKnownHost } from "./transport/host-rules.ts";

export interface Observed {
  /** As prom-client's registries are. */
  readonly metrics: { readonly contentType: string; metrics(): Promise<string> };
  /** Why it cannot do its work now; undefined where it can. Default: always can. */
  whyNotReady?(): string | undefined;
  /** By which names it is called. Default: by any. */
  hosts?(): HostRules;
  readonly log?: { warn(facts: object, message: string): void };
}

/**
 * `/metrics`, `/healthz` (the process answers) and `/readyz` (it does its work) on a port of their own, for whoever
 * reaches it: no token is asked for.
 */
export async function serveObserved(
  observed: Observed,
  address: { host: string; port: number },
): Promise<{ url: string; port: number } & AsyncDisposable> {
  const server = createLimitedServer(({ method, url = "", headers }, response) => {
    if (method !== "GET") return void response.writeHead(405).end();
    const hosts = observed.hosts?.();
    if (hosts && !isKnownHost(headers.host ?? "", hosts)) return void response.writeHead(403).end();
    answer(observed, url, response).catch((error: unknown) => {
      observed.log?.warn({ err: error }, "metrics cannot be read");
      response.writeHead(500).end();
    });
  });
  const listening = await listenOn(server, address);
  return {
    ...listening,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(
  { metrics, whyNotReady }: Observed,
  url: string,
  response: ServerResponse,
): Promise<void> {
  const path = url.split("?")[0];
  if (path === "/healthz") return void response.end("ok\n");
  if (path === "/readyz") {
    const why = whyNotReady?.();
    return void response.writeHead(why === undefined ? 200 : 503).end(`${why ?? "ok"}\n`);
  }
  if (path !== "/metrics") return void response.writeHead(404).end();
  const text = await metrics.metrics();
  response.writeHead(200, { "content-type": metrics.contentType }).end(text);
}
