import type { StreamError } from "./frames.ts";

/**
 * Many streams over one websocket, since browsers open six connections to a server of HTTP/1.1 and no more. Each is
 * asked for by the address that it has as a call of its own, and is answered by the frames of that call. Ours alone.
 */
export type ManyStreamsAsk = { readonly open: number; readonly url: string } | { readonly close: number };

/** `id` is the number that the stream was opened by. An empty text is a sign of life. */
export type ManyStreamsAnswer =
  | { readonly id: number; readonly opened: true }
  | { readonly id: number; readonly result: unknown }
  /** Each ends the stream. */
  | { readonly id: number; readonly ended: true }
  | { readonly id: number; readonly error: StreamError };
