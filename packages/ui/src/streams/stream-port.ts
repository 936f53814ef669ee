import type { FailureFacts } from "./request-failure.ts";

/** What a stream is asked for by: its address below the server's base. */
export interface StreamAsk {
  readonly url: string;
  readonly base: string;
  /** Of the page (pageSecretHeader). */
  readonly secret: string | undefined;
}

/** What is heard of a stream. */
export interface Heard {
  open(): void;
  message(message: unknown): void;
  /** Once, and nothing after it; undefined: the server has ended it. */
  end(failure: FailureFacts | undefined): void;
}

export interface Opened {
  /** Nothing is heard of it any more. */
  close(): void;
}

/** Whoever opens streams: the worker of the browser, or the window by itself. */
export interface StreamOpener {
  open(ask: StreamAsk, heard: Heard): Opened;
  forget(): void;
}

/** Instead of an address: the rows of all applications, of which each browser has one copy (rows-keeper.ts). */
export const rowsUrl = "rows:";

/** From a window to its worker. */
export type ToWorker =
  | { readonly open: number; readonly ask: StreamAsk }
  | { readonly close: number }
  | { readonly does: "forget" | "live" | "leave" };

/** From the worker to a window. */
export type ToWindow =
  | { readonly id: number; readonly opened: true }
  | { readonly id: number; readonly message: unknown }
  | { readonly id: number; readonly ended: FailureFacts | undefined };
