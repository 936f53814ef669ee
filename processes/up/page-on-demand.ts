import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { ApiServer } from "@capstan/servers";
import { createLimitedServer } from "@capstan/servers/limited-server";
import { type Listening, listenAnyway } from "./listen-anyway.ts";

interface Opened extends AsyncDisposable {
  readonly api: ApiServer;
}

interface Input {
  address: { host: string; port: number };
  /** Called at the first request. */
  open(): Promise<Opened>;
  onFailure(error: unknown): void;
}

/** The page beside a cluster without controllers: its port is open at once, its parts load when somebody looks. */
export async function pageOnDemand({
  address,
  open,
  onFailure,
}: Input): Promise<Listening & { metricsUrl?: undefined } & AsyncDisposable> {
  let opened: Promise<Opened> | undefined;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    opened ??= open();
    try {
      const { fastify } = (await opened).api;
      await fastify.ready();
      fastify.routing(request, response);
    } catch (error) {
      opened = undefined;
      onFailure(error);
      response
        .writeHead(503, { "content-type": "text/plain" })
        .end("the page cannot be opened: see the log\n");
    }
  };
  const server = createLimitedServer((request, response) => void answer(request, response));
  const listening = await listenAnyway({ listen: (at) => listen(server, at) }, address);
  return {
    ...listening,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      const parts = await opened?.catch(() => undefined);
      await parts?.[Symbol.asyncDispose]();
    },
  };
}

async function listen(
  server: Server,
  { host, port }: { host: string; port: number },
): Promise<{ url: string; port: number }> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const address = server.address();
  const bound = typeof address === "object" && address ? address.port : port;
  const shown = host === "0.0.0.0" || host === "::" ? "localhost" : host;
  return { url: `http://${shown.includes(":") ? `[${shown}]` : shown}:${bound}`, port: bound };
}
