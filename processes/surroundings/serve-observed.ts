import { createLimitedServer, listenOn } from "@capstan/servers/limited-server";
import type { Registry } from "prom-client";

interface Observed {
  readonly metrics: Registry;
  /** Why it cannot do its work now; undefined where it can. Default: always can. */
  whyNotReady?(): string | undefined;
}

/**
 * `/metrics`, `/healthz` (the process answers) and `/readyz` (it does its work) on a port of their own, for whoever
 * reaches it: no token is asked for.
 */
export async function serveObserved(
  { metrics, whyNotReady = () => undefined }: Observed,
  address: { host: string; port: number },
): Promise<{ url: string; port: number } & AsyncDisposable> {
  const server = createLimitedServer(async ({ url = "", method }, response) => {
    const path = url.split("?")[0];
    if (method !== "GET") return void response.writeHead(405).end();
    if (path === "/healthz") return void response.end("ok\n");
    if (path === "/readyz") {
      const why = whyNotReady();
      return void response.writeHead(why === undefined ? 200 : 503).end(`${why ?? "ok"}\n`);
    }
    if (path !== "/metrics") return void response.writeHead(404).end();
    response.setHeader("content-type", metrics.contentType);
    response.end(await metrics.metrics());
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
