import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { extname, join, normalize } from "node:path";
import { type Answer, type Asked, answer } from "./routes.ts";
import { openStream } from "./streams.ts";
import { seedWorld, type World } from "./world.ts";

const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

export interface MockServer extends AsyncDisposable {
  readonly url: string;
  readonly world: World;
  /** Addresses of the streams that were asked for; a browser's worker asks, whose requests its pages do not tell. */
  readonly streamsAsked: readonly string[];
  /** Ends all streams, as a server that goes away does. */
  dropStreams(): void;
  /** Refuses everything until called with false. */
  refuse(on: boolean): void;
}

const bodyLimit = 4 * 1024 * 1024;

async function readBody(request: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) {
    text += chunk;
    if (text.length > bodyLimit) throw new Error("body too large");
  }
  return text === "" ? {} : JSON.parse(text);
}

function send(response: ServerResponse, { status = 200, body, headers = {} }: Answer): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body ?? {}));
}

function sendFile(response: ServerResponse, root: string, pathname: string): void {
  const wanted = join(root, normalize(pathname));
  const path = existsSync(wanted) && statSync(wanted).isFile() ? wanted : join(root, "index.html");
  if (!existsSync(path)) {
    response.writeHead(404).end("the page is not built: npm run build -w packages/ui");
    return;
  }
  const isNamedByContent = pathname.startsWith("/assets/");
  response.writeHead(200, {
    "content-type": types[extname(path)] ?? "application/octet-stream",
    "cache-control": isNamedByContent ? "public, max-age=31536000, immutable" : "no-cache",
  });
  createReadStream(path).pipe(response);
}

function isLoggedIn(request: IncomingMessage): boolean {
  return (request.headers.cookie ?? "").includes("argocd.token=");
}

/** The REST contract over seeded data in memory, and the built page, on one port. */
export async function startMock(options: {
  port: number;
  plenty: number;
  dist: string;
}): Promise<MockServer> {
  const world = seedWorld(options.plenty);
  const streams = new Set<ServerResponse>();
  const streamsAsked: string[] = [];
  let refusing = false;
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? "/", "http://mock");
    if (!url.pathname.startsWith("/api/")) return sendFile(response, options.dist, url.pathname);
    if (refusing) return send(response, { status: 503, body: { message: "the server is going away" } });
    const asked: Asked = {
      method: request.method ?? "GET",
      path: url.pathname,
      query: url.searchParams,
      body: request.method === "GET" ? {} : await readBody(request),
      loggedIn: isLoggedIn(request),
      world,
    };
    const open = ["/api/v1/session", "/api/v1/session/userinfo", "/api/v1/settings", "/api/version"];
    if (!asked.loggedIn && !open.includes(asked.path)) {
      return send(response, { status: 401, body: { code: 16, message: "no session information" } });
    }
    if (openStream(asked, response)) {
      streamsAsked.push(url.pathname + url.search);
      streams.add(response);
      response.on("close", () => streams.delete(response));
      return;
    }
    send(response, answer(asked));
  };
  const server = createServer((request, response) => {
    handle(request, response).catch((failure: unknown) =>
      send(response, { status: 500, body: { message: String(failure) } }),
    );
  });
  return {
    url: await listen(server, options.port),
    world,
    streamsAsked,
    dropStreams: () => {
      for (const stream of streams) stream.end();
    },
    refuse: (on) => {
      refusing = on;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function listen(server: Server, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      resolve(`http://127.0.0.1:${typeof address === "object" && address ? address.port : port}`);
    });
  });
}
