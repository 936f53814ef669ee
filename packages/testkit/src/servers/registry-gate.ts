import { request as ask } from "node:http";
import { type Credentials, isAuthorized, startLoopbackServer } from "./loopback-server.ts";

export interface RegistryGate extends AsyncDisposable {
  readonly host: string;
  /** What reached the gate: method, path, and whether a token came with it. */
  readonly requests: { line: string; hasToken: boolean }[];
  /** Of the next requests for content, so many are refused as too many. */
  refuseNext: { count: number; retryAfter: string };
}

/** In front of a registry: asks for tokens, which it gives for a password at `/token`, and refuses what is too much. */
export async function startRegistryGate(
  upstream: string,
  { credentials }: { credentials?: Credentials } = {},
): Promise<RegistryGate> {
  const token = "gate-token";
  const server = await startLoopbackServer((request, response) => {
    const { method = "GET", url = "/", headers } = request;
    const hasToken = headers.authorization === `Bearer ${token}`;
    gate.requests.push({ line: `${method} ${url}`, hasToken });
    if (url.startsWith("/token")) {
      const isKnown = isAuthorized(headers.authorization, credentials);
      return void response.writeHead(isKnown ? 200 : 401).end(JSON.stringify({ token }));
    }
    if (credentials && !hasToken) {
      const challenge = `Bearer realm="${server.url}/token",service="gate",scope="repository:x:pull"`;
      return void response.writeHead(401, { "www-authenticate": challenge }).end();
    }
    if (gate.refuseNext.count > 0) {
      gate.refuseNext.count -= 1;
      return void response.writeHead(429, { "retry-after": gate.refuseNext.retryAfter }).end();
    }
    const { authorization: _, ...open } = headers;
    const passed = ask(
      `http://${upstream}${url}`,
      { method, headers: { ...open, host: upstream } },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    passed.on("error", () => response.destroy());
    request.pipe(passed);
  });
  const gate: RegistryGate = {
    host: new URL(server.url).host,
    requests: [],
    refuseNext: { count: 0, retryAfter: "1" },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  return gate;
}
