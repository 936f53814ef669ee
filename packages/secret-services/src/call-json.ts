import type { Clock } from "@capstan/flow";
import { parseJson } from "@capstan/formats";
import { type OutboundRequest, outbound, type TlsSettings } from "@capstan/outbound";

export interface JsonCall extends Pick<OutboundRequest, "guarded" | "proxy"> {
  method?: "GET" | "POST" | "PUT" | "LIST";
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as they are. */
  bytes?: Buffer;
  form?: URLSearchParams;
  tls?: TlsSettings;
  clock: Clock;
  signal: AbortSignal;
}

export interface JsonAnswer {
  status: number;
  body: unknown;
}

interface RawAnswer {
  status: number;
  bytes: Buffer;
}

const timeoutMs = 30_000;
const maxBytes = 16 * 2 ** 20;

/** One request of a secret store whose answer is JSON. */
export async function callJson(url: string, call: JsonCall): Promise<JsonAnswer> {
  const { status, bytes } = await callStore(url, call);
  return { status, body: bytes.length === 0 ? undefined : readJson(bytes.toString()) };
}

/** One request of a secret store; redirects are not followed, since they would carry the token elsewhere. */
export async function callStore(url: string, call: JsonCall): Promise<RawAnswer> {
  const { method, headers, tls, guarded, proxy, clock, signal } = call;
  const content = contentOf(call);
  const { status, body: bytes } = await outbound(url, {
    method,
    headers: {
      accept: "application/json",
      ...(content && { "content-type": content.type }),
      ...headers,
    },
    body: content?.data,
    tls,
    guarded,
    proxy,
    timeoutMs,
    maxBytes,
    clock,
    signal,
  });
  return { status, bytes };
}

function contentOf({ body, bytes, form }: JsonCall): { type: string; data: string | Buffer } | undefined {
  if (form) return { type: "application/x-www-form-urlencoded", data: form.toString() };
  if (bytes) return { type: "application/octet-stream", data: bytes };
  return body === undefined ? undefined : { type: "application/json", data: JSON.stringify(body) };
}

/** What is no JSON is no answer of the store; its text may hold anything and is not quoted. */
function readJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
