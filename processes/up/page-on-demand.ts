import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { ApiServer, ServedPlace } from "@capstan/servers";
import { createLimitedServer, listenOn, servedBelow, socketAskedFor } from "@capstan/servers/limited-server";
import { type Listening, listenAnyway } from "./listen-anyway.ts";

interface Opened extends AsyncDisposable {
  readonly api: ApiServer;
}

interface Input {
  address: { host: string; port: number };
  place: ServedPlace;
  /** Called at the first request. */
  open(): Promise<Opened>;
  onFailure(error: unknown): void;
}

/** The page beside a cluster without controllers: its port is open at once, its parts load when somebody looks. */
export async function pageOnDemand({
  address,
  place,
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
  const server = createLimitedServer(
    servedBelow(place, (request, response) => void answer(request, response)),
    { mayUpgrade: (request) => socketAskedFor(place, request) !== undefined },
  );
  server.on("upgrade", async (...upgrading: [IncomingMessage, Duplex, Buffer]) => {
    opened ??= open();
    try {
      const { fastify } = (await opened).api;
      fastify.server.emit("upgrade", ...upgrading);
    } catch (error) {
      opened = undefined;
      onFailure(error);
      upgrading[1].destroy();
    }
  });
  const listening = await listenAnyway({ listen: (at) => listenOn(server, at) }, address);
  return {
    ...listening,
    url: listening.url + place.rootPath,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      const parts = await opened?.catch(() => undefined);
      await parts?.[Symbol.asyncDispose]();
    },
  };
}
