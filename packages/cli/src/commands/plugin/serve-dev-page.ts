import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import type { PluginDevState } from "@capstan/wire";
import { ExitError } from "../../command.ts";

export interface DevPage extends AsyncDisposable {
  readonly url: string;
  show(state: PluginDevState): void;
}

const folder = fileURLToPath(new URL("../../../../ui/dist", import.meta.url));
const start = "plugin-dev.html";
const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};
const local = /^(localhost|127\.0\.0\.1)(:\d+)?$/;

/** The page of `capstan plugin dev`, for this machine alone: its files, and each state as it comes. */
export async function serveDevPage(port: number): Promise<DevPage> {
  if (!existsSync(join(folder, start)))
    throw new ExitError("the page is not built: npm run build -w packages/ui", 20);
  let last: PluginDevState | undefined;
  const streams = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    // Another site's name may be made to lead here; its page must not read what is rendered.
    if (!local.test(request.headers.host ?? "")) return void response.writeHead(403).end();
    if (request.url === "/events") return follow(response);
    sendFile(request, response);
  });
  const follow = (response: ServerResponse): void => {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    streams.add(response);
    response.on("close", () => streams.delete(response));
    if (last) response.write(eventOf(last));
  };
  await new Promise<void>((listening, fail) => {
    server.once("error", fail).listen(port, "127.0.0.1", listening);
  });
  const address = server.address();
  const taken = typeof address === "object" && address ? address.port : port;
  return {
    url: `http://127.0.0.1:${taken}`,
    show: (state) => {
      last = state;
      for (const stream of streams) stream.write(eventOf(state));
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

function eventOf(state: PluginDevState): string {
  return `data: ${JSON.stringify(state)}\n\n`;
}

function sendFile({ url = "/" }: IncomingMessage, response: ServerResponse): void {
  const { pathname } = new URL(url, "http://local");
  const path = join(folder, normalize(pathname === "/" ? `/${start}` : pathname));
  if (!existsSync(path) || !statSync(path).isFile()) return void response.writeHead(404).end();
  response.writeHead(200, { "content-type": types[extname(path)] ?? "application/octet-stream" });
  createReadStream(path).pipe(response);
}
