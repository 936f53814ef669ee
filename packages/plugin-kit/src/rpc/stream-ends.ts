import { once } from "node:events";

export interface Sink extends NodeJS.EventEmitter {
  write(message: unknown): boolean;
}

/** Writes one message after the other; each waits until there is room for the next. */
export function sendOn(stream: Sink, signal: AbortSignal): (message: unknown) => Promise<void> {
  return async (message) => {
    signal.throwIfAborted();
    if (!stream.write(message)) await once(stream, "drain", { signal });
  };
}
