import type { IncomingMessage } from "node:http";
import type { WebSocket } from "ws";

export type { WebSocket } from "ws";

/** A connection to a cluster that leaves HTTP for messages both ways (RFC 6455). `url` is path and query. */
export interface SocketRequest {
  url: string;
  /** In order of preference. */
  protocols: readonly string[];
  headers: Readonly<Record<string, string>>;
  /** Ends the connection too. */
  signal: AbortSignal;
}

export type OpenSocket = (request: SocketRequest) => Promise<WebSocket>;

/** The server answered otherwise than by a connection. */
export class SocketRefused extends Error {
  readonly status: number;
  /** What it said: mostly a metav1.Status. */
  readonly text: string;

  constructor(status: number, text: string) {
    super(`the API server answered ${status} instead of opening a connection`);
    this.status = status;
    this.text = text;
  }
}

export interface SocketOptions {
  /** Of the cluster's API server. */
  server: string;
  tls: { ca?: string; cert?: string; key?: string; servername?: string; rejectUnauthorized?: boolean };
  proxyUrl: string | undefined;
}

const handshakeMs = 15_000;
/** A message of more is an error: kubelet's are of 32 KB at most. */
const maxMessage = 1024 * 1024;
const maxRefusal = 64 * 1024;

/** Reads nothing until it is told to `resume`. Rejects with SocketRefused where the server says no. */
export async function openSocket(
  { url, protocols, headers, signal }: SocketRequest,
  { server, tls, proxyUrl }: SocketOptions,
): Promise<WebSocket> {
  const { WebSocket: Socket } = await import("ws");
  signal.throwIfAborted();
  const base = new URL(server);
  const address = `${base.origin.replace(/^http/, "ws")}${base.pathname.replace(/\/$/, "")}${url}`;
  const socket = new Socket(address, [...protocols], {
    ...tls,
    ...(proxyUrl === undefined ? {} : { agent: await proxyAgent(proxyUrl, tls) }),
    headers,
    handshakeTimeout: handshakeMs,
    maxPayload: maxMessage,
    perMessageDeflate: false,
    followRedirects: false,
  });
  const end = () => socket.terminate();
  signal.addEventListener("abort", end, { once: true });
  socket.once("close", () => signal.removeEventListener("abort", end));
  await new Promise<void>((resolve, reject) => {
    socket.once("open", () => {
      // What comes with the answer waits for who listens.
      socket.pause();
      resolve();
    });
    socket.on("error", (error) => reject(signal.aborted ? signal.reason : error));
    socket.once("unexpected-response", (request, response: IncomingMessage) => {
      readRefusal(response).then((text) => reject(new SocketRefused(response.statusCode ?? 0, text)), reject);
      response.once("close", () => request.destroy());
    });
  });
  return socket;
}

async function proxyAgent(proxyUrl: string, tls: SocketOptions["tls"]) {
  const { Agent } = await import("node:https");
  return new Agent({ ...tls, proxyEnv: { https_proxy: proxyUrl, http_proxy: proxyUrl } });
}

async function readRefusal(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const piece of response.setEncoding("utf8")) {
    text += piece;
    if (text.length > maxRefusal) break;
  }
  return text.slice(0, maxRefusal);
}
