import { once } from "node:events";
import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { isRecord, parseBoundedJson } from "@capstan/formats";
import type { OidcSettings } from "@capstan/kube";
import { CapstanError } from "@capstan/model";

/** Asks one identity provider: with a limit of time and size, and never anybody to whom an answer leads on. */
export interface ProviderRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: URLSearchParams;
  readonly signal: AbortSignal;
}

export interface ProviderAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

export type AskProvider = (request: ProviderRequest) => Promise<ProviderAnswer>;

const limitMs = 10_000;
const maxBytes = 1024 * 1024;

/** Throws UNAVAILABLE with the address's host alone: forms and queries hold codes and secrets. */
export function providerAsker({
  rootCa,
  issuer,
  dex,
  isVerified,
}: Pick<OidcSettings, "rootCa" | "isVerified" | "issuer" | "dex">): AskProvider {
  const shared = { keepAlive: true, timeout: limitMs, proxyEnv: process.env };
  const tls = {
    ...(rootCa === undefined ? {} : { ca: rootCa }),
    rejectUnauthorized: dex?.isVerified ?? isVerified,
  };
  const agents = { "http:": new HttpAgent(shared), "https:": new HttpsAgent({ ...shared, ...tls }) };
  return async ({ method, url: named, headers = {}, form, signal }) => {
    const url = dex === undefined ? named : behindIssuer(named, { issuer, server: dex.server });
    const limit = AbortSignal.timeout(limitMs);
    try {
      const { protocol } = new URL(url);
      if (protocol !== "http:" && protocol !== "https:") throw new Error("it is no http(s) address");
      const body = form?.toString();
      const start = protocol === "https:" ? httpsRequest : httpRequest;
      const request = start(url, {
        method,
        agent: agents[protocol],
        signal: AbortSignal.any([signal, limit]),
        headers: {
          accept: "application/json",
          "accept-encoding": "identity",
          ...(body === undefined
            ? {}
            : {
                "content-type": "application/x-www-form-urlencoded",
                "content-length": String(Buffer.byteLength(body)),
              }),
          ...headers,
        },
      });
      request.end(body);
      const [response] = await once(request, "response");
      const type = String(response.headers["content-type"] ?? "");
      return { status: Number(response.statusCode), type, text: await readBounded(response) };
    } catch (error) {
      signal.throwIfAborted();
      throw unavailable(
        url,
        limit.aborted ? `it did not answer within ${limitMs / 1000} s` : reason(error),
        error,
      );
    }
  };
}

/** Dex is asked where it is, not by way of the address that browsers see (util/dex DexRewriteURLRoundTripper). */
function behindIssuer(url: string, { issuer, server }: { issuer: string; server: string }): string {
  if (!url.startsWith(`${issuer}/`)) throw unavailable(url, "Dex names an address that is not below its own");
  const { pathname, search } = new URL(url);
  const target = new URL(server);
  target.pathname = pathname;
  target.search = search;
  return target.href;
}

async function readBounded(response: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of response) {
    size += piece.length;
    if (size > maxBytes) throw new Error(`its answer is longer than ${maxBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

export function unavailable(url: string, problem: string, cause?: unknown): CapstanError {
  const what = `the identity provider at ${URL.canParse(url) ? new URL(url).host : "an address that is none"}`;
  return new CapstanError({ code: "UNAVAILABLE", what, problem }, cause);
}

/** Its answer as an object. */
export function readObject({ status, text }: ProviderAnswer, url: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = parseBoundedJson(text);
  } catch (error) {
    throw unavailable(url, `it answered ${status}, and not with JSON`, error);
  }
  if (!isRecord(value)) throw unavailable(url, `it answered ${status}, and not with an object`);
  return value;
}
