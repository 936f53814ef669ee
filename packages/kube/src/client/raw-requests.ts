import { type Limiter, longText, ownTurn } from "@capstan/flow";
import { isRecord, parseJson } from "@capstan/formats";
import { CapstanError } from "@capstan/model";
import { SocketRefused, type SocketRequest, type WebSocket } from "../transport/open-socket.ts";
import type { KubeResponse, Transport } from "../transport/transport.ts";
import { kubeErrorOf } from "./kube-error.ts";

export interface RawRequest {
  method: string;
  /** Path and query. */
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  signal: AbortSignal;
}

/** Requests as they go to the server: limited in number, refusals turned into KubeErrors. */
export interface RawRequests {
  /** The answer as it is, streams included; anything but 2xx is an error. */
  send(request: RawRequest): Promise<KubeResponse>;
  /** The answer read as a JSON object; `read` reads it otherwise, and throws where it is none. */
  json(request: RawRequest, read?: (text: string) => unknown): Promise<Record<string, unknown>>;
  /** The same, with how many characters it was. */
  sizedJson(request: RawRequest, read?: (text: string) => unknown): Promise<SizedJson>;
  /** A connection for messages both ways; it does not count among the requests at a time. */
  socket(request: RawSocketRequest): Promise<WebSocket>;
}

export interface SizedJson {
  readonly value: Record<string, unknown>;
  readonly length: number;
}

export interface RawSocketRequest extends Omit<SocketRequest, "headers"> {
  headers?: Readonly<Record<string, string>>;
}

interface Needs {
  transport: Transport;
  userAgent: string;
  limiter: Limiter;
}

export function createRawRequests({ transport, userAgent, limiter }: Needs): RawRequests {
  async function once({ method, url, headers, body, signal }: RawRequest): Promise<KubeResponse> {
    const answer = await transport({
      method,
      url,
      headers: { accept: "application/json", "user-agent": userAgent, ...headers },
      signal,
      ...(body === undefined ? {} : { body }),
    });
    if (answer.status >= 200 && answer.status < 300) return answer;
    const text = await wholeText(answer.body);
    throw kubeErrorOf(answer.status, readAnswer(text));
  }

  const send = (request: RawRequest): Promise<KubeResponse> =>
    limiter.run(() => once(request), request.signal);

  async function sizedJson(request: RawRequest, read = parseJson): Promise<SizedJson> {
    const answer = await send(request);
    const text = await wholeText(answer.body);
    if (text.length > longText) await ownTurn(request.signal);
    const value = readAnswer(text, read);
    if (!isRecord(value))
      throw kubeErrorOf(502, `the answer to ${request.method} ${request.url} is not a JSON object`);
    return { value, length: text.length };
  }

  return {
    send,
    async socket({ headers, ...request }) {
      const what = "the cluster";
      if (!transport.openSocket)
        throw new CapstanError({ code: "UNAVAILABLE", what, problem: "it is reached by requests alone" });
      try {
        return await transport.openSocket({ ...request, headers: { "user-agent": userAgent, ...headers } });
      } catch (error) {
        request.signal.throwIfAborted();
        if (error instanceof SocketRefused) throw kubeErrorOf(error.status, readAnswer(error.text));
        const problem = error instanceof Error ? error.message : String(error);
        throw new CapstanError({ code: "UNAVAILABLE", what, problem }, error);
      }
    },
    json: async (request, read) => (await sizedJson(request, read)).value,
    sizedJson,
  };
}

/** The same with further headers, those that have a value; the limit on requests at a time is one for all. */
export function withHeaders(
  raw: RawRequests,
  given: Readonly<Record<string, string | undefined>>,
): RawRequests {
  const added: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) if (value !== undefined) added[name] = value;
  const marked = <R extends { headers?: Readonly<Record<string, string>> }>(request: R): R => ({
    ...request,
    headers: { ...request.headers, ...added },
  });
  return {
    send: (request) => raw.send(marked(request)),
    json: (request, read) => raw.json(marked(request), read),
    sizedJson: (request, read) => raw.sizedJson(marked(request), read),
    socket: (request) => raw.socket(marked(request)),
  };
}

function readAnswer(text: string, read: (text: string) => unknown = parseJson): unknown {
  try {
    return read(text);
  } catch {
    return text;
  }
}

async function wholeText(body: KubeResponse["body"]): Promise<string> {
  if (typeof body === "string") return body;
  let text = "";
  for await (const piece of body) text += piece;
  return text;
}
