import type { ServerResponse } from "node:http";
import { createLimitedServer } from "../limited-server.ts";
import { listenOn } from "../listen-on.ts";
import { type HostRules, isKnownHost } from "./host-rules.ts";

export interface MetricsServerInput {
  metrics(): Promise<string>;
  hosts(): HostRules;
  log: { warn(facts: object, message: string): void };
}

/** `/metrics` on a port of its own, for whoever reaches it: no token is asked for. */
export async function serveMetrics(
  { metrics, hosts, log }: MetricsServerInput,
  address: { host: string; port: number },
): Promise<{ url: string; port: number } & AsyncDisposable> {
  const answer = async (url: string, authority: string, response: ServerResponse): Promise<void> => {
    if (!isKnownHost(authority, hosts())) return void response.writeHead(403).end();
    if (url.split("?")[0] !== "/metrics") return void response.writeHead(404).end();
    const text = await metrics();
    response.writeHead(200, { "content-type": "text/plain; version=0.0.4" }).end(text);
  };
  const server = createLimitedServer(({ method, url = "", headers }, response) => {
    if (method !== "GET") return void response.writeHead(405).end();
    answer(url, headers.host ?? "", response).catch((error: unknown) => {
      log.warn({ err: error }, "metrics cannot be read");
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
