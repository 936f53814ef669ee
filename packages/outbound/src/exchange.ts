import type { IncomingMessage } from "node:http";
import { lookupOutside } from "./inner-addresses.ts";

/** The way to a server, as programs read it from their environment; nothing: the straight one. */
export type ProxyVariables = { http_proxy?: string; https_proxy?: string; no_proxy?: string };

export interface TlsSettings {
  /** Authorities in place of those that Node brings, as PEM; the server's own certificate may stand there as well. */
  readonly ca?: string | undefined;
  /** The client's certificate and its key, as PEM. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly servername?: string | undefined;
  /** Takes any certificate. Default false. */
  readonly insecure?: boolean | undefined;
}

export interface Exchange {
  /** Default GET. */
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | undefined;
  readonly tls?: TlsSettings | undefined;
  readonly proxy?: ProxyVariables | undefined;
  /** Names that lead to this machine or to its surroundings alone are refused when they are looked up. */
  readonly isGuarded: boolean;
  readonly signal: AbortSignal;
}

/** One request and the head of its answer, wherever that leads; whoever asks reads or ends the body. */
export async function exchange(url: URL, request: Exchange): Promise<IncomingMessage> {
  const { method = "GET", headers, body, tls = {}, proxy = {}, isGuarded, signal } = request;
  // Loaded on first use: with node:http comes all of Node's fetch, a tenth of what a process takes to start.
  const http = await import("node:http");
  const https = await import("node:https");
  const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
  const sent = {
    ...(isGuarded && !isGiven(proxy) ? { lookup: lookupOutside } : {}),
    ...tlsOptions(tls),
    signal,
    method,
    headers: { "user-agent": "capstan", ...headers, ...length },
  };
  return new Promise((resolve, reject) => {
    const asked =
      url.protocol === "http:"
        ? http.request(url, { ...sent, ...through(http.Agent, proxy) })
        : https.request(url, { ...sent, ...through(https.Agent, proxy) });
    asked.once("response", resolve).on("error", reject).end(body);
  });
}

function tlsOptions({ ca, cert, key, servername, insecure }: TlsSettings) {
  return {
    ...(cert !== undefined && key !== undefined ? { cert, key } : {}),
    ...(servername === undefined ? {} : { servername }),
    ...(insecure ? { rejectUnauthorized: false } : {}),
    // As for Go and curl.
    ...(ca === undefined ? {} : { ca, allowPartialTrustChain: true }),
  };
}

/** By a proxy, as git goes: absolute addresses over HTTP, CONNECT for HTTPS. */
function through<Agent>(
  Kind: new (options: { proxyEnv: ProxyVariables }) => Agent,
  proxy: ProxyVariables,
): { agent?: Agent } {
  return isGiven(proxy) ? { agent: new Kind({ proxyEnv: proxy }) } : {};
}

const isGiven = ({ http_proxy: plain, https_proxy: tls }: ProxyVariables): boolean =>
  plain !== undefined || tls !== undefined;
