import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { ExitError } from "../../command.ts";

/** A listener on this machine alone, to which the browser comes back from the provider. */
export interface LocalCallback extends AsyncDisposable {
  /** The code for this state. What comes with another state is refused, and waited on. */
  code(state: string, signal: AbortSignal): Promise<string>;
}

const path = "/auth/callback";
const headers = {
  "content-type": "text/plain; charset=utf-8",
  "cache-control": "no-store",
  connection: "close",
};

export async function listenForCallback(port: number): Promise<LocalCallback> {
  let answer = (_query: URLSearchParams): { status: number; text: string } => ({
    status: 503,
    text: "Not yet.",
  });
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    // Any page that is open in the browser may ask here, also for what is no address.
    const url = URL.parse(request.url ?? "/", "http://localhost");
    const { status, text } =
      request.method === "GET" && url?.pathname === path
        ? answer(url.searchParams)
        : { status: 404, text: "Nothing is here." };
    response.writeHead(status, headers).end(`${text}\n`);
  });
  server.listen(port, "localhost");
  await once(server, "listening").catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new ExitError(`cannot listen on localhost:${port} for the browser (${why}): give --sso-port`, 20);
  });
  return {
    code: (state, signal) =>
      new Promise<string>((resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        answer = (query) => {
          if (query.get("state") !== state)
            return { status: 400, text: "This is not the login that waits here." };
          const code = query.get("code");
          if (code) {
            resolve(code);
            return { status: 200, text: "You are logged in: go back to the terminal, and close this page." };
          }
          const said = (query.get("error") ?? "no code").replace(/[^\w -]/g, "").slice(0, 50);
          reject(new ExitError(`the identity provider did not log in: ${said}`, 20));
          return { status: 400, text: `The identity provider did not log in: ${said}` };
        };
      }),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeIdleConnections();
    },
  };
}
