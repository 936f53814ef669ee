import type { IncomingHttpHeaders } from "node:http";
import { type Clock, deadline } from "@capstan/flow";
import { exchange, type ProxyVariables, type TlsSettings } from "./exchange.ts";
import { innerRefusal, isInnerHost } from "./inner-addresses.ts";
import { readAnswer } from "./read-answer.ts";

export interface OutboundRequest {
  /** Default GET. */
  readonly method?: string | undefined;
  /** They go to the address's own scheme, host and port only, also where a redirect is followed. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | undefined;
  /** More than this in an answer is an error. */
  readonly maxBytes: number;
  /** For all of it, redirects and body too. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly tls?: TlsSettings | undefined;
  readonly proxy?: ProxyVariables | undefined;
  /**
   * The address is a stranger's: this machine and what answers it alone (loopback, link-local, metadata services of
   * clouds) are refused, by name and by address. Without it they are refused only where a server elsewhere leads there.
   */
  readonly guarded?: boolean | undefined;
  /**
   * none (default): a redirect is the answer. home: followed within the scheme, host and port that were asked.
   * anywhere: followed, without the headers. Only GET and HEAD are followed.
   */
  readonly redirects?: "none" | "home" | "anywhere" | undefined;
}

export interface OutboundAnswer {
  /** Where it came from in the end. */
  readonly from: URL;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const maxRedirects = 5;
/** Redirects that ask for the same request again, body and all (RFC 9110, 15.4). */
const keepsBody: ReadonlySet<number> = new Set([307, 308]);

/**
 * Whatever an address answers, with any status. Rejects with an error that names the host, and nothing else of the
 * address, which may hold a token: where it cannot be reached, is late, answers too much, or leads where it must not.
 */
export async function outbound(address: string | URL, request: OutboundRequest): Promise<OutboundAnswer> {
  if (!URL.canParse(address)) throw new Error("the address is no URL");
  const url = new URL(address);
  const { host } = url;
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new Error(`${url.protocol}//${host} is no address of HTTP`);
  const { clock, timeoutMs: ms } = request;
  const late = () => new Error(`${host} gave no answer within ${ms / 1000} s`);
  using limited = deadline({ clock, signal: request.signal, ms, late });
  const { signal } = limited;
  try {
    return await follow(url, { ...request, signal });
  } catch (error) {
    signal.throwIfAborted();
    throw new Error(`${host} cannot be reached: ${reasonOf(error)}`, { cause: error });
  }
}

async function follow(own: URL, request: OutboundRequest): Promise<OutboundAnswer> {
  const { method = "GET", headers, body, maxBytes, redirects = "none", guarded = false } = request;
  const { tls, proxy, signal } = request;
  const mayFollow = redirects !== "none" && (method === "GET" || method === "HEAD");
  let url = own;
  let sentBody = body;
  for (let hops = 0; hops <= maxRedirects; hops++) {
    const isHome = url.origin === own.origin;
    const isGuarded = guarded || (!isHome && !isInnerHost(own));
    if (isGuarded && isInnerHost(url)) throw innerRefusal(url.host);
    const sent = { method, body: sentBody, proxy, isGuarded, signal };
    // A server elsewhere is neither shown the client's certificate nor trusted as the one that was asked for is.
    const response = await exchange(url, isHome ? { ...sent, headers, tls } : sent);
    const { statusCode: status = 0, headers: told } = response;
    const isRedirect = status >= 300 && status < 400 && status !== 304 && told.location !== undefined;
    if (isRedirect && mayFollow && told.location !== undefined) {
      response.destroy();
      url = nextAddress(told.location, url);
      if (!keepsBody.has(status)) sentBody = undefined;
      if (redirects === "home" && url.origin !== own.origin)
        throw new Error(`it leads to ${url.host}, another host, and is not followed there`);
      continue;
    }
    const tooLarge = () => new Error(`the answer is larger than ${maxBytes} bytes`);
    return { from: url, status, headers: told, body: await readAnswer(response, { maxBytes, tooLarge }) };
  }
  throw new Error(`more than ${maxRedirects} redirects`);
}

function nextAddress(location: string, from: URL): URL {
  if (!URL.canParse(location, from.href)) throw new Error("it leads to an address that is no URL");
  const next = new URL(location, from);
  if (next.protocol === "http:" || next.protocol === "https:") return next;
  throw new Error(`it leads to an address of ${next.protocol} and is not followed`);
}

/** OpenSSL's messages are lines of numbers around a reason; several attempts at once fail without a message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ("reason" in error && typeof error.reason === "string") return error.reason;
  if (error.message !== "") return error.message;
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
