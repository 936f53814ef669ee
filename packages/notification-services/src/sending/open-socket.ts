import type { Socket } from "node:net";
import { innerRefusal, isInnerHost, lookupOutside } from "@capstan/outbound";

interface SocketRequest {
  readonly host: string;
  readonly port: number;
  /** This machine and what answers it alone are refused, by name and by address. */
  readonly guarded: boolean;
  /** Ends the connection as well. */
  readonly signal: AbortSignal;
}

/** A connection to a service that does not speak HTTP. */
export async function openSocket({ host, port, guarded, signal }: SocketRequest): Promise<Socket> {
  const at = `${host}:${port}`;
  if (guarded && isInnerHost({ hostname: host })) throw innerRefusal(at);
  signal.throwIfAborted();
  const { connect } = await import("node:net");
  const socket = connect({ host, port, ...(guarded ? { lookup: lookupOutside } : {}) });
  const end = () => socket.destroy(signal.reason instanceof Error ? signal.reason : undefined);
  signal.addEventListener("abort", end, { once: true });
  socket.once("close", () => signal.removeEventListener("abort", end));
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", (error) =>
      reject(new Error(`${at} cannot be reached: ${error.message}`, { cause: error })),
    );
    socket.once("close", () => reject(new Error(`${at} cannot be reached`)));
  });
  // Later errors end what reads from it.
  socket.on("error", () => undefined);
  return socket;
}
