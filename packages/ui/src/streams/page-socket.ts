import {
  type ManyStreamsAnswer,
  type ManyStreamsAsk,
  pageProtocolPrefix,
  streamsProtocol,
} from "@capstan/wire";
import { watchSilence } from "./fetch-stream.ts";
import type { Session } from "./hub.ts";
import type { Heard, Opened } from "./stream-port.ts";

interface SocketHeard extends Heard {
  /** No websocket is taken here: in place of an end. */
  notTaken(): void;
}

/** A connection that nobody needs is kept for so long. */
const idleMs = 10_000;

/** One websocket for all streams of a session, opened with the first of them. */
export class PageSocket {
  readonly #session: Session;
  readonly #streams = new Map<number, { readonly url: string; readonly heard: SocketHeard }>();
  #socket: WebSocket | undefined;
  #next = 1;
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor(session: Session) {
    this.#session = session;
  }

  open(url: string, heard: SocketHeard): Opened {
    const id = this.#next++;
    this.#streams.set(id, { url, heard });
    clearTimeout(this.#idle);
    this.#socket ??= this.#connect();
    this.#send({ open: id, url });
    return {
      close: () => {
        if (!this.#streams.delete(id)) return;
        this.#send({ close: id });
        if (this.#streams.size === 0) this.#idle = setTimeout(() => this.close(), idleMs);
      },
    };
  }

  close(): void {
    this.#socket?.close();
  }

  /** What is asked for before the connection is open is asked for with its opening. */
  #send(ask: ManyStreamsAsk): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(ask));
  }

  #connect(): WebSocket {
    const { base, secret } = this.#session;
    const url = new URL(`${base}/api/v1/streams`, location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(url, [
      streamsProtocol,
      ...(secret === undefined ? [] : [pageProtocolPrefix + secret]),
    ]);
    const silence = watchSilence();
    silence.signal.addEventListener("abort", () => socket.close());
    let wasOpen = false;
    socket.onopen = () => {
      wasOpen = true;
      silence.heard();
      for (const [id, { url: asked }] of this.#streams) this.#send({ open: id, url: asked });
    };
    socket.onmessage = ({ data }) => {
      silence.heard();
      if (data !== "") this.#take(JSON.parse(String(data)));
    };
    socket.onclose = () => {
      silence.stop();
      this.#socket = undefined;
      const all = [...this.#streams.values()];
      this.#streams.clear();
      const lost = { status: 0, request: "", message: "The connection to the server was lost." };
      for (const { heard } of all) wasOpen ? heard.end(lost) : heard.notTaken();
    };
    return socket;
  }

  #take(answer: ManyStreamsAnswer): void {
    const stream = this.#streams.get(answer.id);
    if (stream === undefined) return;
    const { heard, url } = stream;
    if ("opened" in answer) heard.open();
    else if ("result" in answer) heard.message(answer.result);
    else {
      this.#streams.delete(answer.id);
      const { http_code: status, message } = "error" in answer ? answer.error : { http_code: 0, message: "" };
      heard.end("error" in answer ? { status, message, request: `GET ${url}` } : undefined);
    }
  }
}
