import { readByFetch } from "./fetch-stream.ts";
import { PageSocket } from "./page-socket.ts";
import { factsOf } from "./request-failure.ts";
import { RowsKeeper } from "./rows-keeper.ts";
import { type Heard, type Opened, rowsUrl, type StreamAsk } from "./stream-port.ts";

/** Where a server is, and what a session there is bound to. */
export interface Session {
  /** Path below which the server is found. */
  readonly base: string;
  /** Of the page (pageSecretHeader). */
  readonly secret: string | undefined;
}

/** After a server, or what stands before it, has taken no websocket. */
const socketAgainMs = 60_000;

/** All streams of a browser, or of one window: over one connection where the server takes it, else by a request each. */
export class Hub {
  readonly #sessions = new Map<string, { readonly socket: PageSocket; readonly rows: RowsKeeper }>();
  #noSocketUntil = 0;

  open({ url, base, secret }: StreamAsk, heard: Heard): Opened {
    const session = this.#session({ base, secret });
    if (url === rowsUrl) return session.rows.join(heard);
    return this.#stream(session.socket, { url, base, secret }, heard);
  }

  /** Somebody has signed out, or another one in. */
  forget(): void {
    for (const { rows, socket } of this.#sessions.values()) {
      rows.forget();
      socket.close();
    }
    this.#sessions.clear();
  }

  #session(of: Session) {
    const key = JSON.stringify([of.base, of.secret]);
    const known = this.#sessions.get(key);
    if (known) return known;
    const socket = new PageSocket(of);
    const open = (url: string, heard: Heard) => this.#stream(socket, { url, ...of }, heard);
    const session = { socket, rows: new RowsKeeper(of, open) };
    this.#sessions.set(key, session);
    return session;
  }

  #stream(socket: PageSocket, ask: StreamAsk, heard: Heard): Opened {
    if (Date.now() < this.#noSocketUntil) return openByFetch(ask, heard);
    let opened: Opened | undefined;
    let isClosed = false;
    opened = socket.open(ask.url, {
      ...heard,
      notTaken: () => {
        this.#noSocketUntil = Date.now() + socketAgainMs;
        if (!isClosed) opened = openByFetch(ask, heard);
      },
    });
    return {
      close: () => {
        isClosed = true;
        opened?.close();
      },
    };
  }
}

function openByFetch({ url, base, secret }: StreamAsk, heard: Heard): Opened {
  const stop = new AbortController();
  const reader = { signal: stop.signal, onOpen: heard.open, onMessage: heard.message };
  readByFetch(url, { base, secret }, reader).then(
    () => heard.end(undefined),
    (failure: unknown) => {
      if (!stop.signal.aborted) heard.end(factsOf(failure));
    },
  );
  return { close: () => stop.abort() };
}
