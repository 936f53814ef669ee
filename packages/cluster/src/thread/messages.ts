import type { AuditEvent } from "../server/audit.ts";
import type { LogEntry } from "../start-cluster.ts";
import type { ApiRequest, ApiResponse } from "../types.ts";

/** What the thread is started with; absent members have the defaults of ClusterOptions. */
export interface ThreadOptions {
  readonly dataDir: string;
  readonly podReadyDelayMs?: number;
  /** AuditOptions.annotations; absent where nobody audits. */
  readonly auditAnnotations?: Readonly<Record<string, string>>;
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface Listening extends Address {
  readonly url: string;
}

/** What is known of the cluster once it is open. */
export interface Opened {
  readonly adminToken: string;
  readonly caCertificate: string;
}

/** Each is answered by one `done` or `failed`, but for `leave`. */
export type ToThread =
  | { readonly kind: "request"; readonly id: number; readonly request: Omit<ApiRequest, "signal"> }
  /** The next piece of the answer to that request. */
  | { readonly kind: "more"; readonly id: number; readonly of: number }
  /** Nobody waits for the answer to that request, or for more of it. */
  | { readonly kind: "leave"; readonly id: number }
  | { readonly kind: "listen"; readonly id: number; readonly address: Address }
  | { readonly kind: "close"; readonly id: number };

export type FromThread =
  | { readonly kind: "opened"; readonly opened: Opened }
  | { readonly kind: "done"; readonly id: number; readonly value: Settled }
  /** Without an id the cluster did not open. */
  | { readonly kind: "failed"; readonly id: number | undefined; readonly problem: Problem }
  | { readonly kind: "log"; readonly entry: LogEntry }
  | { readonly kind: "audit"; readonly event: AuditEvent };

/** What became of a request, of `more` (a piece, or undefined at the end), of `listen` and of `close`. */
export type Settled = ThreadResponse | string | Listening | undefined;

export interface ThreadResponse extends Omit<ApiResponse, "body"> {
  /** Undefined where it is asked for in pieces. */
  readonly body: string | undefined;
}

/** An error that is cloned keeps no code. */
export interface Problem {
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: string | undefined;
}
