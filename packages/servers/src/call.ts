import type { InOf, OutOf, RouteName, Routes } from "@capstan/wire";

/** Who asks, as their token says. */
export interface Identity {
  /** Local account, `proj:<project>:<role>`, or the user id of an identity provider. */
  readonly name: string;
  /** What people call them, where it is another than the name: the address of their mail. */
  readonly username?: string;
  readonly groups: readonly string[];
  readonly issuer: string;
  /** Id of the token, by which it can be revoked. */
  readonly tokenId?: string | undefined;
  /** Seconds since the epoch. */
  readonly issuedAt?: number | undefined;
  readonly expiresAt?: number | undefined;
  /** When they have to log in again; undefined: not as long as they ask now and then. Seconds since the epoch. */
  readonly endsAt?: number | undefined;
  /** A token in place of this one, which is about to end: the answer to a browser carries it. */
  readonly renewal?: string | undefined;
}

/** Somebody without a token. */
export const nobody: Identity = { name: "", groups: [], issuer: "" };

export interface Call {
  readonly user: Identity;
  /** Network address of the caller; behind a trusted proxy that of whom it speaks for. */
  readonly address: string;
  /** Secret of the page that asks; undefined: no page does. */
  readonly page?: string | undefined;
  /** Aborted when the caller goes away or the server stops. */
  readonly signal: AbortSignal;
  /**
   * What the caller's form of the API has no words for, from what is stored into what he gives for it; `field` of the
   * request. Messages of gRPC are those of an older Argo CD; who speaks REST says everything.
   */
  readonly keepUnsaid?: <T>(field: string, given: T, stored: T) => T;
  /**
   * Says what the answer is made from: as long as it is the same, the same caller gets the same answer to the same
   * question, and REST need not make it again (header ETag, RFC 9110 §8.8.3).
   */
  readonly madeFrom?: (state: string) => void;
  /** Tells the caller of what went well and is yet not as it seems: a header Warning (RFC 7234 §5.5). */
  readonly warn?: (text: string) => void;
}

export type Handler<In, Out> = (request: In, call: Call) => Promise<Out>;
/** Refusals come from the promise, before the first message; the stream itself ends with the call's signal. */
export type StreamHandler<In, Out> = (request: In, call: Call) => Promise<AsyncIterable<Out>>;

/** As the table pairs it with a name that is not known before. */
export type AnyHandler = (request: Readonly<Record<string, unknown>>, call: Call) => Promise<unknown>;

export type HandlerOf<N extends RouteName> = Routes[N] extends { readonly stream: true }
  ? StreamHandler<InOf<Routes[N]>, OutOf<Routes[N]>>
  : Handler<InOf<Routes[N]>, OutOf<Routes[N]>>;

export type Handlers = { readonly [N in RouteName]: HandlerOf<N> };
