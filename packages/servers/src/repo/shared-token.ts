import { createHmac, timingSafeEqual } from "node:crypto";
import type { TLSSocket } from "node:tls";
import { CapstanError } from "@capstan/model";

const proofBytes = 32;
const label = "EXPORTER-capstan-repo-v1";

/**
 * That one knows the token, for this very TLS connection alone (RFC 9266 tls-exporter): whoever stands between the two
 * has another connection with each, and neither's proof is any use to him. So the token vouches for both sides, also
 * where nobody vouches for the certificate.
 */
function proofOf(socket: TLSSocket, token: string, side: "caller" | "server"): Buffer {
  const binding = socket.exportKeyingMaterial(proofBytes, label, Buffer.alloc(0));
  return createHmac("sha256", token).update(`${side}\0`).update(binding).digest();
}

/** The caller's half. Resolves when the server has shown that it knows the token; without one its certificate must do. */
export async function showToken(
  socket: TLSSocket,
  token: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  socket.write(proofOf(socket, token ?? "", "caller"));
  const shown = await readBytes(socket, signal);
  if (token === undefined || timingSafeEqual(shown, proofOf(socket, token, "server"))) return;
  throw refused("the server does not know the token that callers here send (--repo-server-token-file)");
}

/** The server's half. Rejects where the caller does not know the token; nothing is told to him then. */
export async function checkToken(
  socket: TLSSocket,
  token: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const shown = await readBytes(socket, signal);
  if (token !== undefined && !timingSafeEqual(shown, proofOf(socket, token, "caller")))
    throw refused("the caller does not know the token");
  socket.write(proofOf(socket, token ?? "", "server"));
}

function refused(problem: string): CapstanError {
  return new CapstanError({ code: "UNAVAILABLE", what: "the repo server", problem });
}

/** What comes behind them stays in the stream. */
async function readBytes(socket: TLSSocket, signal: AbortSignal): Promise<Buffer> {
  const over = new AbortController();
  const ended = AbortSignal.any([signal, over.signal]);
  const end = (error: Error | boolean): void =>
    over.abort(
      typeof error === "boolean"
        ? refused("the connection was closed: it refuses this caller's token or certificate")
        : error,
    );
  socket.once("error", end).once("close", end);
  try {
    for (;;) {
      ended.throwIfAborted();
      const bytes: unknown = socket.read(proofBytes);
      if (Buffer.isBuffer(bytes) && bytes.length === proofBytes) return bytes;
      await readable(socket, ended);
    }
  } finally {
    socket.off("error", end).off("close", end);
  }
}

function readable(socket: TLSSocket, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (): void => {
      signal.removeEventListener("abort", failed);
      resolve();
    };
    const failed = (): void => {
      socket.off("readable", done);
      reject(signal.reason);
    };
    socket.once("readable", done);
    signal.addEventListener("abort", failed, { once: true });
  });
}
