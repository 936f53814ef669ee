import type { ServerResponse } from "node:http";
import type { Clock } from "@capstan/flow";
import { CapstanError } from "@capstan/model";

export interface DepartureTimes {
  /** So long all is served as before, since those in front go on sending callers for a while. */
  readonly delayMs: number;
  /** What is under way then may come to its end within this time. */
  readonly drainMs: number;
}

const lookMs = 50;
const stopping = () =>
  new CapstanError({ code: "UNAVAILABLE", what: "the server", problem: "it is stopping" });

/** How a server goes so that nobody's call fails: callers are sent elsewhere, streams end, the last answers are given. */
export class Departure {
  readonly #leaving = new AbortController();
  readonly #ending = new AbortController();
  /** Without the end of their answer. */
  readonly #open = new Set<ServerResponse>();

  /** Callers shall come again by other connections, which lead elsewhere. */
  get leaving(): AbortSignal {
    return this.#leaving.signal;
  }

  /** Streams end: their clients resume them elsewhere. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  /** To be told of every request. */
  take(response: ServerResponse): void {
    this.#open.add(response);
    response.once("close", () => this.#open.delete(response));
    if (this.#leaving.signal.aborted) this.#keepNoConnection(response);
  }

  async leave({ delayMs, drainMs }: DepartureTimes, clock: Clock): Promise<void> {
    const never = new AbortController().signal;
    this.#leaving.abort(stopping());
    for (const response of this.#open) this.#keepNoConnection(response);
    if (delayMs > 0) await clock.sleep(delayMs, never);
    this.#ending.abort(stopping());
    const until = clock.now() + drainMs;
    while (this.#open.size > 0 && clock.now() < until) await clock.sleep(lookMs, never);
  }

  /** Its caller sends no further request on the connection, which would meet its end. */
  #keepNoConnection(response: ServerResponse): void {
    // HTTP/2 has GOAWAY for it, and no such header (RFC 9113, 8.2.2).
    if ("stream" in response) return;
    const { socket } = response;
    if (!response.headersSent) response.setHeader("connection", "close");
    // Who was not told may have sent the next request already: as long as it is served, it is told with that answer.
    else
      response.once("finish", () => {
        if (this.#ending.signal.aborted) socket?.destroySoon();
      });
  }
}
