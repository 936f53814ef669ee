import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { createWebSocketStream, type WebSocket, WebSocketServer } from "ws";
import { channelProtocols, runOverChannels } from "./channels.ts";
import { commandProtocols, forwardProtocol, runOverSpdy } from "./over-spdy.ts";
import type { PodSession } from "./session.ts";

/** A request whose connection is to become something else than HTTP. */
export interface Upgrading {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** What came with the request's head. */
  readonly head: Buffer;
}

const mostMessage = 1 << 20;
const tunnelled = "SPDY/3.1+portforward.k8s.io";
const sockets = new WebSocketServer({
  noServer: true,
  maxPayload: mostMessage,
  perMessageDeflate: false,
  handleProtocols: (offered) => [tunnelled, ...channelProtocols].find((one) => offered.has(one)) ?? false,
});

/** Whether the client speaks anything in which the session can be carried; what is answered where it does not. */
export function protocolProblem(
  { headers }: IncomingMessage,
  session: PodSession["kind"],
): string | undefined {
  const upgrade = headers.upgrade?.toLowerCase();
  if (upgrade === "websocket") {
    const offered = (headers["sec-websocket-protocol"] ?? "").split(",").map((one) => one.trim());
    const known: readonly string[] = session === "run" ? channelProtocols : [tunnelled];
    return known.some((one) => offered.includes(one)) ? undefined : unknown(known);
  }
  if (upgrade !== "spdy/3.1") return "unable to upgrade: SPDY/3.1 and websocket are spoken here";
  return spdyProtocol(headers, session) === undefined ? unknown(commandProtocols) : undefined;
}

const unknown = (known: readonly string[]): string =>
  `unable to upgrade: none of the protocols asked for is spoken here; known are ${known.join(", ")}`;

function spdyProtocol(headers: IncomingMessage["headers"], session: PodSession["kind"]): string | undefined {
  const offered = String(headers["x-stream-protocol-version"] ?? "")
    .split(",")
    .map((one) => one.trim());
  const known = session === "run" ? commandProtocols : [forwardProtocol];
  return known.find((one) => offered.includes(one));
}

/** Carries a session until it ends; the protocol is known to be spoken. */
export async function carry(
  { request, socket, head }: Upgrading,
  session: PodSession,
  signal: AbortSignal,
): Promise<void> {
  if (request.headers.upgrade?.toLowerCase() === "websocket") {
    const webSocket = await new Promise<WebSocket>((resolve) =>
      sockets.handleUpgrade(request, socket, head, resolve),
    );
    const end = (): void => webSocket.terminate();
    signal.addEventListener("abort", end, { once: true });
    if (session.kind === "run") await runOverChannels(webSocket, session, signal);
    else await runOverSpdy(createWebSocketStream(webSocket), session, signal);
    signal.removeEventListener("abort", end);
    return;
  }
  const protocol = spdyProtocol(request.headers, session.kind);
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: ${protocol}\r\n\r\n`,
  );
  if (head.length > 0) socket.unshift(head);
  await runOverSpdy(socket, session, signal);
}
