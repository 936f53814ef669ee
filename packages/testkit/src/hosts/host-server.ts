import { createServer, type IncomingHttpHeaders } from "node:http";

export interface HostRequest {
  readonly method: string;
  /** As it came, undecoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Of the server itself, without a slash at its end. */
  readonly own: string;
}

export interface HostReply {
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; a text as it is. */
  readonly body?: unknown;
}

/** One API: what it answers; undefined: it has nothing of the kind. */
export type HostApi = (request: HostRequest) => HostReply | undefined;

export interface HostServer extends AsyncDisposable {
  readonly url: string;
  /** What has come so far, as "GET /path?query" with the query as it was written. */
  readonly asked: string[];
  /** What has come, whole. */
  readonly requests: HostRequest[];
  /** What it speaks from now on. */
  speak(api: HostApi): void;
}

/** A server of git repositories on a free port of the loopback interface. */
export async function startHostServer(first: HostApi): Promise<HostServer> {
  let api = first;
  const asked: string[] = [];
  const requests: HostRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url: target = "/", headers } = request;
      const [path = "/", search = ""] = target.split("?", 2);
      const body = Buffer.concat(chunks).toString();
      const found = { method, path, query: new URLSearchParams(search), headers, body, own: url };
      asked.push(`${method} ${target}`);
      requests.push(found);
      const { status = 200, headers: told = {}, body: answer } = api(found) ?? { status: 404, body: {} };
      response.writeHead(status, { "content-type": "application/json", ...told });
      response.end(typeof answer === "string" ? answer : answer === undefined ? "" : JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
  return {
    url,
    asked,
    requests,
    speak(next) {
      api = next;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Refuses what an API does not know: a parameter that no documentation names is a mistake of whoever asks. */
export function requireKnown({ query }: HostRequest, known: readonly string[]): HostReply | undefined {
  const odd = [...query.keys()].find((name) => !known.includes(name));
  return odd === undefined ? undefined : { status: 400, body: { message: `unknown parameter ${odd}` } };
}

/** One page of a list, from 1. */
export function pageOf<Item>(
  items: readonly Item[],
  { page, size }: { page: number; size: number },
): { items: Item[]; hasMore: boolean } {
  const end = page * size;
  return { items: items.slice(end - size, end), hasMore: end < items.length };
}
