import type { IncomingMessage, ServerResponse } from "node:http";
import type { ApiServer } from "@capstan/servers";
import { createLimitedServer, listenOn } from "@capstan/servers/limited-server";
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
  const listening = await listenAnyway({ listen: (at) => listenOn(server, at) }, address);
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
