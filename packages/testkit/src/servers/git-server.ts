import { spawn } from "node:child_process";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type GitHosting, openGitHosting } from "./git-hosting.ts";
import type { LfsContents } from "./lfs-contents.ts";
import {
  type Credentials,
  isAuthorized,
  type LoopbackOptions,
  type LoopbackServer,
  startLoopbackServer,
} from "./loopback-server.ts";

/** The git program's own server over smart HTTP. */
export interface GitServer extends LoopbackServer, Pick<GitHosting, "createRepository"> {
  /** `GET /name.git/info/refs?service=…`, in the order of arrival. */
  readonly requests: readonly string[];
}

export interface GitServerOptions extends LoopbackOptions {
  /** Without them anybody may read and push. */
  readonly credentials?: Credentials;
  /** Its server of Git LFS. */
  readonly lfs?: LfsContents;
}

const mostHeaderBytes = 65_536;

export async function startGitServer(options: GitServerOptions = {}): Promise<GitServer> {
  await using opened = new AsyncDisposableStack();
  const requests: string[] = [];
  const hosting = opened.use(await openGitHosting((name) => `${server.url}/${name}.git`));
  const server = opened.use(
    await startLoopbackServer((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      const isOfLfs = request.url?.startsWith("/lfs-contents/");
      if (isOfLfs && options.lfs?.answers(request, response)) return;
      if (isAuthorized(request.headers.authorization, options.credentials))
        return (
          options.lfs?.answers(request, response) ||
          runBackend(request, response, { dir: hosting.dir, user: options.credentials?.username })
        );
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end("who are you?\n");
    }, options),
  );
  const closing = opened.move();
  return {
    ...server,
    requests,
    createRepository: hosting.createRepository,
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

interface Backend {
  dir: string;
  user: string | undefined;
}

/** One request as CGI (RFC 3875), as git-http-backend(1) wants it. */
function runBackend(request: IncomingMessage, response: ServerResponse, { dir, user }: Backend): void {
  const { pathname, search } = new URL(request.url ?? "/", "http://localhost");
  const { headers } = request;
  const child = spawn("git", ["http-backend"], {
    stdio: ["pipe", "pipe", "ignore"],
    env: {
      PATH: process.env.PATH,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_PROJECT_ROOT: dir,
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_PROTOCOL: `${headers["git-protocol"] ?? ""}`,
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: headers["content-encoding"] ?? "",
      REMOTE_ADDR: "127.0.0.1",
      ...(headers["content-length"] && { CONTENT_LENGTH: headers["content-length"] }),
      ...(user && { REMOTE_USER: user }),
    },
  });
  child.on("error", (error) => response.destroy(error));
  child.stdin.on("error", () => child.kill());
  request.pipe(child.stdin);
  let head = Buffer.alloc(0);
  const readHead = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) {
      if (head.length > mostHeaderBytes) child.kill();
      return;
    }
    child.stdout.off("data", readHead).pause();
    writeHead(response, head.subarray(0, end).toString());
    response.write(head.subarray(end + 4));
    child.stdout.pipe(response);
  };
  child.stdout.on("data", readHead);
  child.on("close", () => {
    if (!response.headersSent) response.writeHead(500).end("git http-backend gave no answer\n");
  });
  response.on("close", () => child.kill());
}

function writeHead(response: ServerResponse, text: string): void {
  let status = 200;
  for (const line of text.split("\r\n")) {
    const colon = line.indexOf(":");
    const [name, value] = [line.slice(0, colon), line.slice(colon + 1).trim()];
    if (name.toLowerCase() === "status") status = Number.parseInt(value, 10);
    else response.setHeader(name, value);
  }
  response.writeHead(status);
}
