import type { IncomingMessage, ServerResponse } from "node:http";

/** Where everything that a listener serves is found; paths such as "/argocd", or "" for the top. */
export interface ServedPlace {
  /** Requests begin with it (argocd-server --rootpath). */
  readonly rootPath: string;
  /** Browsers see it: the same, or what a proxy takes away (argocd-server --basehref). */
  readonly base: string;
}

export const atTop: ServedPlace = { rootPath: "", base: "" };

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Takes the root path away before anything looks at a request's address (server/server.go withRootPath): what is not
 * below it is not there, but for the probe. gRPC itself, which no proxy moves below a path, is there without it too.
 */
export function servedBelow({ rootPath }: ServedPlace, answer: Answer): Answer {
  if (rootPath === "") return answer;
  return (request, response) => {
    const url = request.url ?? "/";
    const [path = ""] = url.split("?", 1);
    if (path === rootPath) return redirect(response, `${rootPath}/${url.slice(path.length)}`);
    if (path.startsWith(`${rootPath}/`)) request.url = url.slice(rootPath.length);
    else if (path !== "/healthz" && !isPlainRpc(request)) return refuse(response, rootPath);
    answer(request, response);
  };
}

function isPlainRpc({ headers }: IncomingMessage): boolean {
  return /^application\/grpc(\+|;|$)/.test(headers["content-type"] ?? "");
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(301, { location }).end();
}

function refuse(response: ServerResponse, rootPath: string): void {
  const type = { "content-type": "text/plain; charset=utf-8" };
  response.writeHead(404, type).end(`nothing is served here: add ${rootPath} to the address\n`);
}

export const terminalPath = "/terminal";
/** Many streams over one websocket. */
export const streamsPath = "/api/v1/streams";

const socketPaths = [terminalPath, streamsPath] as const;

/** Which websocket a request asks for, by its path: these alone leave HTTP. */
export function socketAskedFor(
  { rootPath }: ServedPlace,
  { url = "", headers }: IncomingMessage,
): (typeof socketPaths)[number] | undefined {
  const [path] = url.split("?", 1);
  if (headers.upgrade?.toLowerCase() !== "websocket") return undefined;
  return socketPaths.find((one) => path === rootPath + one);
}
