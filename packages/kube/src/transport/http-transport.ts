import { pipeline, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { Clock } from "@capstan/flow";
import { equalJson } from "@capstan/formats";
import { CapstanError } from "@capstan/model";
import type { Dispatcher } from "undici";
import type { ClusterConfig } from "./cluster-config.ts";
import { clusterFiles, type Identity, type TlsKeys } from "./cluster-files.ts";
import { execCredentials } from "./exec-credentials.ts";
import {
  type OpenSocket,
  openSocket,
  SocketRefused,
  type SocketRequest,
  type WebSocket,
} from "./open-socket.ts";
import { isStreaming, type KubeRequest, type KubeResponse, type Transport } from "./transport.ts";
import { loadPools, type UndiciPools } from "./undici-pools.ts";

export interface HttpTransportOptions {
  clock: Clock;
  /** Environment of credential programs. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Keep-alive connections for requests; watches have connections of their own. */
  connections?: number;
}

const defaultConnections = 24;
const maxWatchConnections = 512;
const maxBodyBytes = 256 * 1024 * 1024;

interface Pools {
  requests: Dispatcher;
  watches: Dispatcher;
}

/** Reaches a cluster over HTTP(S), with HTTP/2 where it speaks that; undici is loaded at the first request. */
export function httpTransport(
  config: ClusterConfig,
  options: HttpTransportOptions,
): Transport & { readonly openSocket: OpenSocket } & AsyncDisposable {
  const files = clusterFiles(config, options.clock);
  const exec = config.exec ? execCredentials(config, config.exec, options) : undefined;
  let held: { pools: Pools; keys: TlsKeys } | undefined;
  let base: URL | undefined;

  function open(keys: TlsKeys, undici: UndiciPools): Pools {
    if (held && !equalJson(held.keys, keys)) {
      void retirePools(held.pools);
      held = undefined;
    }
    held ??= { pools: openPools(config, { keys, undici }, options), keys };
    return held.pools;
  }

  /** Who we are now, and what a request says of it. */
  async function identify({ headers: given, signal }: Pick<KubeRequest, "headers" | "signal">) {
    const { token, ...ownKeys } = await files.current();
    const credential = await exec?.current(signal, ownKeys.ca);
    const { certData: cert, keyData: key } = credential ?? {};
    const headers: Record<string, string> = { ...given };
    const header = authorization(config, credential?.token ?? token);
    if (header) headers.authorization ??= header;
    return { keys: { ...ownKeys, ...(cert && key ? { cert, key } : {}) }, headers };
  }

  async function attempt(request: KubeRequest): Promise<KubeResponse> {
    const undici = await loadPools(config.proxyUrl !== undefined);
    const { keys, headers } = await identify(request);
    base ??= new URL(config.server);
    const wire = { pools: open(keys, undici), ask: undici.request, server: config.server, base };
    return send({ ...wire, compress: !config.disableCompression }, request, headers);
  }

  /** What says who we are may have changed since it was read. */
  function learnAnew(): boolean {
    if ((config.exec ?? config.bearerTokenFile ?? config.certFile) === undefined) return false;
    exec?.forget();
    files.forget();
    return true;
  }

  const transport = async (request: KubeRequest): Promise<KubeResponse> => {
    const answer = await attempt(request).catch((error: unknown) => {
      if (!request.signal.aborted) files.forget();
      throw error;
    });
    return answer.status === 401 && learnAnew() ? attempt(request) : answer;
  };
  const attemptSocket = async (request: SocketRequest): Promise<WebSocket> => {
    const { keys, headers } = await identify(request);
    const { server, proxyUrl } = config;
    return openSocket({ ...request, headers }, { server, proxyUrl, tls: { ...keys, ...tlsOf(config) } });
  };
  return Object.assign(transport, {
    openSocket: (request: SocketRequest) =>
      attemptSocket(request).catch((error: unknown) => {
        if (error instanceof SocketRefused && error.status === 401 && learnAnew())
          return attemptSocket(request);
        throw error;
      }),
    async [Symbol.asyncDispose]() {
      if (held) await closePools(held.pools);
    },
  });
}

/** Requests on their way are answered; who watches begins anew with what is valid now. */
async function retirePools({ requests, watches }: Pools): Promise<void> {
  await Promise.all([requests.close(), watches.destroy()]);
}

async function closePools({ requests, watches }: Pools): Promise<void> {
  await Promise.all([requests.destroy(), watches.destroy()]);
}

function openPools(
  config: ClusterConfig,
  { keys, undici }: { keys: TlsKeys; undici: UndiciPools },
  { connections = defaultConnections }: HttpTransportOptions,
): Pools {
  const tls = { timeout: 10_000, ...keys, ...tlsOf(config) };
  const origin = new URL(config.server).origin;
  const make = (limit: number, bodyTimeout: number): Dispatcher => {
    const common = {
      connections: limit,
      headersTimeout: 120_000,
      bodyTimeout,
      keepAliveTimeout: 60_000,
    };
    const { proxyUrl: uri } = config;
    const { Pool, ProxyAgent } = undici;
    if (!uri) return new Pool(origin, { connect: tls, ...common });
    if (!ProxyAgent) throw new Error("what asks by a proxy is not loaded");
    return new ProxyAgent({ uri, requestTls: tls, ...common });
  };
  return { requests: make(connections, 120_000), watches: make(maxWatchConnections, 0) };
}

function tlsOf({ serverName, insecure }: ClusterConfig) {
  return {
    ...(serverName ? { servername: serverName } : {}),
    ...(insecure ? { rejectUnauthorized: false } : {}),
  };
}

interface Wire {
  pools: Pools;
  ask: UndiciPools["request"];
  /** As it was given. */
  server: string;
  base: URL;
  compress: boolean;
}

async function send(
  wire: Wire,
  request: KubeRequest,
  headers: Record<string, string>,
): Promise<KubeResponse> {
  const streaming = isStreaming(request.url);
  if (wire.compress && !streaming) headers["accept-encoding"] = "gzip";
  const dispatcher = streaming ? wire.pools.watches : wire.pools.requests;
  let answer: Dispatcher.ResponseData;
  try {
    answer = await wire.ask.call(dispatcher, {
      origin: wire.base.origin,
      path: wire.base.pathname.replace(/\/$/, "") + request.url,
      method: methodOf(request.method),
      headers,
      signal: request.signal,
      ...(request.body === undefined ? {} : { body: request.body }),
    });
  } catch (error) {
    request.signal.throwIfAborted();
    throw unreachable(wire.server, error);
  }
  const plain = flatHeaders(answer.headers);
  const body = plain["content-encoding"] === "gzip" ? unpacked(answer.body) : answer.body;
  if (streaming && answer.statusCode < 300)
    return { status: answer.statusCode, headers: plain, body: pieces(body) };
  return {
    status: answer.statusCode,
    headers: plain,
    body: await wholeText(body, wire.server, request.signal),
  };
}

function methodOf(method: string): Dispatcher.HttpMethod {
  switch (method) {
    case "GET":
    case "HEAD":
    case "POST":
    case "PUT":
    case "PATCH":
    case "DELETE":
    case "OPTIONS":
      return method;
    default:
      throw new CapstanError({
        code: "INVALID_ARGUMENT",
        field: "method",
        problem: `unknown method ${method}`,
      });
  }
}

function unreachable(server: string, error: unknown): CapstanError {
  const problem = error instanceof Error ? error.message : String(error);
  return new CapstanError({ code: "UNAVAILABLE", what: `cluster ${server}`, problem }, error);
}

function flatHeaders(headers: Dispatcher.ResponseData["headers"]): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return flat;
}

async function* pieces(body: Readable): AsyncIterable<string> {
  const decoder = new TextDecoder();
  for await (const chunk of body) yield decoder.decode(chunk, { stream: true });
}

/** Ends with an error where the packed one does, which `pipe` alone does not tell. */
function unpacked(body: Readable): Readable {
  return pipeline(body, createGunzip(), () => undefined);
}

async function wholeText(body: Readable, server: string, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
      size += bytes.length;
      if (size > maxBodyBytes) throw new Error(`an answer is larger than ${maxBodyBytes} bytes`);
      chunks.push(bytes);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw unreachable(server, error);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function authorization({ username, password }: ClusterConfig, token: Identity["token"]): string | undefined {
  if (token) return `Bearer ${token}`;
  if (!username) return undefined;
  return `Basic ${Buffer.from(`${username}:${password ?? ""}`).toString("base64")}`;
}
