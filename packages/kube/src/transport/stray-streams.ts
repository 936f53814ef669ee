import type { ClientHttp2Session } from "node:http2";

/** RFC 9113, 7. */
const cancelled = 0x8;
let isHeard = false;

/**
 * The answer to a request that was given up meanwhile is a stream of its own for Node (lib/internal/http2/core.js
 * onSessionHeaders), of which undici does not know. When its connection ends with an error, that is its own too, and one
 * that nobody hears ends the process: such a stream is ended as it comes.
 */
export function endStrayStreams(): void {
  if (isHeard) return;
  isHeard = true;
  const http2 = process.getBuiltinModule("node:http2");
  const { connect } = http2;
  const heard = (...given: Parameters<typeof connect>): ClientHttp2Session => {
    const session = connect(...given);
    session.on("stream", (stream) => {
      stream.on("error", () => undefined);
      stream.close(cancelled);
    });
    return session;
  };
  Object.assign(http2, { connect: heard });
}
