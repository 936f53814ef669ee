import { createServer, type IncomingHttpHeaders } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "@capstan/model";
import { openBackend } from "../open-backend.ts";
import { SecretReader } from "../secret-reader.ts";
import { Settings } from "../settings.ts";
import type { BackendNeeds } from "./backend.ts";
import { TokenCache } from "./token-cache.ts";

export const realClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    await sleep(ms, undefined, { signal });
  },
};

export interface Call {
  method: string;
  url: URL;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  text: string;
}

export type Answer = [status: number, body: unknown];

/** A store written from its published API description: it checks what the real one would check. */
export async function startStore(answer: (call: Call) => Answer) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const url = new URL(request.url ?? "", `http://${request.headers.host}`);
      const { method = "", headers } = request;
      asked.push(`${method} ${url.pathname}`);
      const bytes = Buffer.concat(chunks);
      const [status, body] = answer({ method, url, headers, bytes, text: bytes.toString() });
      response.writeHead(status).end(Buffer.isBuffer(body) ? body : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const at = server.address();
  const address = `http://127.0.0.1:${typeof at === "object" && at ? at.port : 0}`;
  const dispose = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { address, asked, [Symbol.asyncDispose]: dispose };
}

/** Reads as one render does. */
export async function reader(env: Record<string, string>, more: Partial<BackendNeeds> = {}) {
  const needs = { clock: realClock, tokens: new TokenCache(realClock), ...more };
  const backend = await openBackend(new Settings({}, env), needs);
  const secrets = new SecretReader(backend, AbortSignal.timeout(60_000));
  return (path: string, key: string, asked: { version?: string; isWhole?: boolean } = {}) =>
    secrets.read({ path, key, isWhole: false, ...asked });
}
