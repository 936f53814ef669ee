import type { Http2ServerRequest } from "node:http2";
import type { Clock } from "@capstan/flow";
import { ApiError } from "../types.ts";
import { maxBodyCharacters } from "./read-object.ts";

const bodyTimeoutMs = 20_000;
const farewellMs = 5_000;
/** One for all: abort() without a reason makes an error, with its stack, each time. */
const hasEnded = new Error("the body is read");

/** The whole body, with a limit on its size and on the time that it may take. */
export async function receiveBody(
  incoming: Http2ServerRequest,
  clock: Clock,
  signal: AbortSignal,
): Promise<Buffer> {
  if (incoming.method === "GET" || incoming.method === "HEAD") return Buffer.alloc(0);
  const done = new AbortController();
  const collected = collect(incoming);
  try {
    // Most bodies are here already: a timer for each would cost more than reading it.
    const present = await Promise.race([collected, nextTurn()]);
    return (
      present ?? (await Promise.race([collected, tooSlow(clock, AbortSignal.any([signal, done.signal]))]))
    );
  } catch (error) {
    // Ending the connection now would lose the answer: what is still coming is thrown away for a while.
    incoming.resume();
    void endLater(incoming, clock, signal);
    throw error;
  } finally {
    done.abort(hasEnded);
  }
}

function nextTurn(): Promise<undefined> {
  return new Promise((resolve) => {
    setImmediate(() => resolve(undefined));
  });
}

function collect(incoming: Http2ServerRequest): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    incoming.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBodyCharacters) {
        chunks.push(chunk);
        return;
      }
      chunks = [];
      const message = `Request entity too large: limit is ${maxBodyCharacters}`;
      reject(new ApiError(413, "RequestEntityTooLarge", message));
    });
    incoming.once("end", () => resolve(Buffer.concat(chunks)));
    incoming.once("error", reject);
    incoming.once("close", () => reject(new Error("the client went away before its request was whole")));
  });
}

async function tooSlow(clock: Clock, signal: AbortSignal): Promise<never> {
  await clock.sleep(bodyTimeoutMs, signal);
  throw new ApiError(408, "Timeout", `the request body did not arrive within ${bodyTimeoutMs / 1_000} s`);
}

async function endLater(incoming: Http2ServerRequest, clock: Clock, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(farewellMs, signal);
    if (!incoming.complete) incoming.destroy();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
