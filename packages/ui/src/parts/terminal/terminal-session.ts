import { pageProtocolPrefix, pageSecretHeader, terminalProtocol } from "@capstan/wire";
import { pageSecret } from "../../queries/page-secret.ts";
import { serverUrl } from "../../server-url.ts";

/** A container of a Pod of an application. */
export interface TerminalPlace {
  readonly appName: string;
  readonly appNamespace: string;
  readonly projectName: string;
  /** Of the Pod. */
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

/** How a terminal is over. */
export type TerminalEnd =
  | { readonly kind: "ended" }
  /** The session has another token by now: it is opened again. */
  | { readonly kind: "renewed" }
  | { readonly kind: "lost" }
  | { readonly kind: "refused"; readonly why: string };

export interface Heard {
  open(): void;
  text(text: string): void;
  /** Once. */
  end(end: TerminalEnd): void;
}

export interface TerminalSession {
  type(text: string): void;
  resize(size: { cols: number; rows: number }): void;
  /** `end` is not told any more. */
  close(): void;
}

/** RFC 6455, 7.4.1. */
const codes = { done: 1000, refused: 1008, failed: 1011 } as const;
/** The server reads no longer message; what a person pastes may be. */
const longestPiece = 8_000;

/** A shell by the messages of /terminal, which are those of Argo CD's page. */
export function openTerminal(place: TerminalPlace, heard: Heard): TerminalSession {
  const address = `/terminal?${new URLSearchParams({ ...place })}`;
  const socket = new WebSocket(socketUrl(address), protocols());
  let isOpen = false;
  let isRenewed = false;
  let isLeft = false;
  socket.onopen = () => {
    isOpen = true;
    heard.open();
  };
  socket.onmessage = ({ data }) => {
    const message: unknown = JSON.parse(String(data));
    if (typeof message !== "object" || message === null) return;
    if ("Code" in message && message.Code === 1) isRenewed = true;
    if ("data" in message && typeof message.data === "string") heard.text(message.data);
  };
  socket.onclose = async ({ code }) => {
    if (isLeft) return;
    if (isRenewed) heard.end({ kind: "renewed" });
    else if (!isOpen) heard.end(await refusal(address));
    else heard.end(endOf(code));
  };
  const send = (message: object) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };
  return {
    type: (text) => {
      for (let at = 0; at < text.length; at += longestPiece)
        send({ operation: "stdin", data: text.slice(at, at + longestPiece) });
    },
    resize: (size) => send({ operation: "resize", ...size }),
    close: () => {
      isLeft = true;
      socket.close();
    },
  };
}

function endOf(code: number): TerminalEnd {
  if (code === codes.done) return { kind: "ended" };
  if (code === codes.refused) return { kind: "refused", why: "The right to it is not there any more." };
  if (code === codes.failed) return { kind: "refused", why: "No shell could be started." };
  return { kind: "lost" };
}

function socketUrl(path: string): URL {
  const url = new URL(serverUrl(path), window.location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url;
}

/** Browsers let a page set no header of a websocket: its secret stands among the protocols. */
function protocols(): string[] {
  const secret = pageSecret();
  return [terminalProtocol, ...(secret === undefined ? [] : [pageProtocolPrefix + secret])];
}

/** A browser does not say why a websocket was refused: the same question without one is answered. */
async function refusal(path: string): Promise<TerminalEnd> {
  try {
    const headers = { [pageSecretHeader]: pageSecret() ?? "" };
    const response = await fetch(serverUrl(path), { headers, credentials: "same-origin" });
    const why = (await response.text()).trim();
    return response.status === 400 && why === "Bad Request" ? { kind: "lost" } : { kind: "refused", why };
  } catch {
    return { kind: "lost" };
  }
}
