import { chmod, rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { type Clock, liveQueues } from "@capstan/flow";
import { createLimitedServer } from "./limited-server.ts";
import { profileCpu, readHeap, readMemory } from "./profile-process.ts";

interface DebugNeeds {
  readonly clock: Clock;
  readonly log: { warn(facts: object, message: string): void };
}

const longestSeconds = 120;
const usualSeconds = 10;
/** Of sun_path (unix(7)), its end included. */
const longestPath = 107;

/**
 * What people look into a process with, at a socket that its own user alone can open: a heap holds secrets. `/debug/queues`
 * and `/debug/memory` answer JSON, `/debug/heap` a heap snapshot, `/debug/cpu?seconds=N` a CPU profile, one at a time.
 * Where the socket cannot be opened the log says so, and the process works without it.
 */
export async function serveDebug(path: string, { clock, log }: DebugNeeds): Promise<AsyncDisposable> {
  const answers = new Answers(clock);
  const server = createLimitedServer((request, response) => {
    answers.give(request, response).catch((error: unknown) => {
      log.warn({ err: error, url: request.url }, "debug request failed");
      response.destroy();
    });
  });
  try {
    await open();
  } catch (error) {
    log.warn({ err: error, path }, "capstan debug will not reach this process: its socket cannot be opened");
  }
  return {
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await rm(path, { force: true });
    },
  };

  async function open(): Promise<void> {
    if (Buffer.byteLength(path) > longestPath)
      throw new Error(`a socket's path has ${longestPath} bytes at most`);
    // What a kill -9 left; the folder's lock says that nobody listens there.
    await rm(path, { force: true });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    server.once("error", reject).listen(path, resolve);
    await promise;
    await chmod(path, 0o600);
    server.unref();
  }
}

class Answers {
  readonly #clock: Clock;
  #isBusy = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async give({ method, url = "" }: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(url, "http://socket");
    if (method !== "GET") return void response.writeHead(405).end();
    if (pathname === "/debug/queues") return sendJson(response, liveQueues());
    if (pathname === "/debug/memory") return sendJson(response, readMemory());
    if (pathname !== "/debug/heap" && pathname !== "/debug/cpu") return void response.writeHead(404).end();
    const seconds = Number(searchParams.get("seconds") ?? usualSeconds);
    if (!(seconds > 0 && seconds <= longestSeconds))
      return refuse(response, 400, `seconds is a number up to ${longestSeconds}`);
    if (this.#isBusy) return refuse(response, 409, "another profile or snapshot is being made");
    this.#isBusy = true;
    try {
      if (pathname === "/debug/heap") await pipeline(readHeap(), response);
      else response.end(await profileCpu(seconds * 1000, this.#clock, untilGone(response)));
    } finally {
      this.#isBusy = false;
    }
  }
}

function untilGone(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => gone.abort(new Error("the caller has gone")));
  return gone.signal;
}

function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

function refuse(response: ServerResponse, status: number, why: string): void {
  response.writeHead(status).end(`${why}\n`);
}
