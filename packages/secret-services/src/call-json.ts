import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { type Clock, deadline } from "@capstan/flow";
import { parseJson } from "@capstan/formats";

export interface JsonCall {
  method?: "GET" | "POST" | "PUT" | "LIST";
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as they are. */
  bytes?: Buffer;
  form?: URLSearchParams;
  tls?: { ca?: string; cert?: string; key?: string; servername?: string; rejectUnauthorized?: boolean };
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

const limitMs = 30_000;
const maxBytes = 16 * 2 ** 20;

/** One request of a secret store whose answer is JSON. */
export async function callJson(url: string, call: JsonCall): Promise<JsonAnswer> {
  const { status, bytes } = await callStore(url, call);
  return { status, body: bytes.length === 0 ? undefined : readJson(bytes.toString()) };
}

/** One request of a secret store; redirects are not followed, since they would carry the token elsewhere. */
export async function callStore(url: string, call: JsonCall): Promise<RawAnswer> {
  const { host } = new URL(url);
  const late = () => new Error(`${host} gave no answer within ${limitMs / 1000} s`);
  using limited = deadline({ clock: call.clock, signal: call.signal, ms: limitMs, late });
  const { signal } = limited;
  try {
    const response = await send(url, call, signal);
    return { status: response.statusCode ?? 0, bytes: await readBody(response, signal) };
  } catch (error) {
    signal.throwIfAborted();
    throw new Error(`${host} cannot be reached: ${reasonOf(error)}`, { cause: error });
  }
}

/** OpenSSL's messages are lines of numbers around a reason. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "reason" in error && typeof error.reason === "string" ? error.reason : error.message;
}

function contentOf({ body, bytes, form }: JsonCall): { type: string; data: string | Buffer } | undefined {
  if (form) return { type: "application/x-www-form-urlencoded", data: form.toString() };
  if (bytes) return { type: "application/octet-stream", data: bytes };
  return body === undefined ? undefined : { type: "application/json", data: JSON.stringify(body) };
}

function send(url: string, call: JsonCall, signal: AbortSignal) {
  const { method = "GET", headers, tls } = call;
  const content = contentOf(call);
  const request = url.startsWith("https:") ? httpsRequest : httpRequest;
  return new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(
      url,
      {
        method,
        headers: {
          accept: "application/json",
          ...(content && {
            "content-type": content.type,
            "content-length": Buffer.byteLength(content.data),
          }),
          ...headers,
        },
        ...tls,
        signal,
      },
      resolve,
    );
    sent.on("error", reject);
    sent.end(content?.data);
  });
}

async function readBody(response: IncomingMessage, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    signal.throwIfAborted();
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`the answer is larger than ${maxBytes / 2 ** 20} MiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** What is no JSON is no answer of the store; its text may hold anything and is not quoted. */
function readJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
