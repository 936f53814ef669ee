import type { Clock } from "@capstan/flow";
import { isRecord } from "@capstan/formats";
import { isCapstanError } from "@capstan/model";
import type { WebSocket } from "ws";
import type { Identity } from "../call.ts";

/** A process in a container, while it runs. */
interface Process extends AsyncDisposable {
  readonly output: AsyncIterable<Uint8Array>;
  write(bytes: Uint8Array): Promise<void>;
  resize(size: { columns: number; rows: number }): void;
  readonly ended: Promise<{ readonly exitCode: number | undefined; readonly message: string }>;
}

/** A container in which somebody may have a shell. */
export interface TerminalPlace {
  /** What the log says of it. */
  readonly facts: Readonly<Record<string, string>>;
  /** Tried one after the other until one is there. */
  readonly shells: readonly string[];
  /** Whether he still may, by the rights of this moment. */
  mayGoOn(user: Identity): boolean;
  start(shell: string, signal: AbortSignal): Promise<Process>;
}

interface Options {
  readonly place: TerminalPlace;
  readonly user: Identity;
  /** Who asks, as his token says now. Throws UNAUTHENTICATED. */
  identify(): Promise<Identity>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Signs of life go through proxies that end silent connections; rights are looked at with them. */
const beatMs = 5_000;
/** A token is verified again at most so often, when something is typed. */
const verifyMs = 1_000;
/** A terminal into which nothing is typed ends, and one that no longer answers signs of life. */
const [idleMs, silentMs] = [30 * 60_000, 20_000];
/** RFC 6455, 7.4.1. */
const closeCodes = { done: 1000, refused: 1008, failed: 1011 } as const;

/** How it went, for the log. */
export type TerminalResult =
  | "ENDED"
  | "LEFT"
  | "IDLE"
  | "TOKEN_ENDED"
  | "RIGHT_MISSING"
  | "UNREADABLE"
  | "FAILED";

/**
 * Messages of /terminal as Argo CD's server has them (server/application/websocket.go): `stdin` and `resize` of the
 * page, `stdout` of the process, and `{"Code":1}` where the page shall come again with another token.
 */
export async function runTerminal(socket: WebSocket, options: Options): Promise<TerminalResult> {
  const session = new TerminalSession(socket, options);
  try {
    return await session.run();
  } finally {
    session.end();
  }
}

class TerminalSession {
  readonly #socket: WebSocket;
  readonly #options: Options;
  readonly #over = new AbortController();
  readonly #signal: AbortSignal;
  #result: TerminalResult = "ENDED";
  #process: Process | undefined;
  #size: { columns: number; rows: number } | undefined;
  #user: Identity;
  #verifiedAt: number;
  #typedAt: number;
  #heardAt: number;
  #hasTyped = false;

  constructor(socket: WebSocket, options: Options) {
    this.#socket = socket;
    this.#options = options;
    this.#signal = AbortSignal.any([options.signal, this.#over.signal]);
    this.#user = options.user;
    this.#verifiedAt = this.#typedAt = this.#heardAt = options.clock.now();
    socket.on("error", () => socket.terminate());
    socket.once("close", () => this.#stop("LEFT"));
    socket.on("pong", () => {
      this.#heardAt = options.clock.now();
    });
    // More is read when what has come is done with: one after the other, for several may have come at once.
    let last = Promise.resolve();
    socket.on("message", (data) => {
      socket.pause();
      const turn = last
        .then(() => this.#take(String(data)))
        .catch(() => this.#close("FAILED", closeCodes.failed));
      last = turn;
      void turn.then(() => last === turn && socket.resume());
    });
  }

  async run(): Promise<TerminalResult> {
    void this.#beat();
    const { shells } = this.#options.place;
    for (const [index, shell] of shells.entries()) {
      const end = await this.#play(shell);
      if (this.#signal.aborted) return this.#result;
      const isLast = index === shells.length - 1;
      if (end.wasThere || isLast) {
        if (!end.wasThere) await this.#send({ operation: "stdout", data: `${end.message}\r\n` });
        this.#close(end.wasThere ? "ENDED" : "FAILED", end.wasThere ? closeCodes.done : closeCodes.failed);
        return this.#result;
      }
    }
    return this.#result;
  }

  end(): void {
    this.#over.abort(new Error("the terminal has ended"));
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.close(closeCodes.done);
  }

  /** Carries one shell to its end. A shell that is not in the container ends at once, and the next one is tried. */
  async #play(shell: string): Promise<{ wasThere: boolean; message: string }> {
    let process: Process;
    try {
      process = await this.#options.place.start(shell, this.#signal);
    } catch (error) {
      if (!isCapstanError(error) && !(error instanceof Error && error.name === "KubeError")) throw error;
      return { wasThere: false, message: error.message };
    }
    await using running = process;
    this.#process = running;
    if (this.#size) running.resize(this.#size);
    const decoder = new TextDecoder();
    for await (const bytes of running.output) {
      if (this.#signal.aborted) break;
      const data = decoder.decode(bytes, { stream: true });
      // Not read ahead of the page: it waits until this one is on its way.
      if (data !== "") await this.#send({ operation: "stdout", data });
    }
    this.#process = undefined;
    if (this.#signal.aborted) return { wasThere: true, message: "" };
    const { exitCode, message } = await running.ended;
    // What a runtime says of a program that is not there, or may not be run (POSIX 2.8.2).
    const isAbsent = exitCode === undefined || exitCode === 126 || exitCode === 127;
    return { wasThere: !isAbsent || this.#hasTyped, message };
  }

  async #take(text: string): Promise<void> {
    if (!(await this.#mayGoOn())) return;
    const message = readMessage(text);
    if (message === undefined) return this.#close("UNREADABLE", closeCodes.refused);
    this.#typedAt = this.#options.clock.now();
    if (message.operation === "resize") {
      this.#size = { columns: message.cols, rows: message.rows };
      this.#process?.resize(this.#size);
    } else if (this.#process) {
      this.#hasTyped = true;
      await this.#process.write(Buffer.from(message.data)).catch(() => undefined); // its end is told otherwise
    }
  }

  /** Token and rights, as they are now; ends the terminal where they do not hold. */
  async #mayGoOn(): Promise<boolean> {
    if (this.#signal.aborted) return false;
    const { clock, place, identify } = this.#options;
    if (clock.now() - this.#verifiedAt >= verifyMs) {
      this.#verifiedAt = clock.now();
      const user = await identify().catch((error: unknown) => {
        if (isCapstanError(error, "UNAUTHENTICATED")) return undefined;
        throw error;
      });
      // A page that comes again gets the new token with the answer.
      const isEnding = user === undefined || (user.renewal !== undefined && this.#user.renewal === undefined);
      if (isEnding) return this.#askToComeAgain();
      this.#user = user;
    }
    if (place.mayGoOn(this.#user)) return true;
    await this.#send({ operation: "stdout", data: "Permission denied" });
    this.#close("RIGHT_MISSING", closeCodes.refused);
    return false;
  }

  async #askToComeAgain(): Promise<false> {
    await this.#send({ operation: "stdout", data: "\nReconnect because the token was refreshed...\n" });
    await this.#write(JSON.stringify({ Code: 1 }));
    this.#close("TOKEN_ENDED", closeCodes.refused);
    return false;
  }

  async #beat(): Promise<void> {
    const { clock } = this.#options;
    try {
      for (;;) {
        await clock.sleep(beatMs, this.#signal);
        if (clock.now() - this.#heardAt > silentMs) return this.#socket.terminate();
        if (clock.now() - this.#typedAt > idleMs) {
          await this.#send({ operation: "stdout", data: "\r\nnothing was typed for 30 minutes\r\n" });
          return this.#close("IDLE", closeCodes.done);
        }
        if (!(await this.#mayGoOn())) return;
        this.#socket.ping("ping");
      }
    } catch {
      // It is over, or who asks cannot be known: no terminal goes on without.
      if (!this.#signal.aborted) this.#close("FAILED", closeCodes.failed);
    }
  }

  #send({ operation, data }: { operation: "stdout"; data: string }): Promise<void> {
    return this.#write(JSON.stringify({ operation, data, rows: 0, cols: 0 }));
  }

  /** Resolves when it is on its way, or when nobody is there any more. */
  #write(text: string): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket.readyState !== this.#socket.OPEN) resolve();
      else this.#socket.send(text, () => resolve());
    });
  }

  #close(result: TerminalResult, code: number): void {
    if (!this.#signal.aborted) this.#socket.close(code);
    this.#stop(result);
  }

  #stop(result: TerminalResult): void {
    if (this.#over.signal.aborted) return;
    this.#result = result;
    this.#over.abort(new Error("the terminal has ended"));
  }
}

type Message =
  | { readonly operation: "stdin"; readonly data: string }
  | { readonly operation: "resize"; readonly rows: number; readonly cols: number };

/** undefined: it is none (server/application TerminalMessage). */
function readMessage(text: string): Message | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const { operation, data = "", rows = 0, cols = 0 } = value;
  if (operation === "stdin" && typeof data === "string") return { operation, data };
  if (operation === "resize" && isSize(rows) && isSize(cols)) return { operation, rows, cols };
  return undefined;
}

function isSize(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535;
}
