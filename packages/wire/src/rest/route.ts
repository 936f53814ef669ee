import type { Schema, Shape } from "@capstan/model/shapes";

/** How a value of a query parameter reads. Repeated parameters are the plural kinds. */
export type FieldKind = "string" | "strings" | "boolean" | "integer" | "integers";

export type Fields = Readonly<Record<string, FieldKind>>;

/** Of lists that come in pages: Kubernetes' names; `sort` is a field, with `-` in front from its end. */
export const pageQuery = { limit: "integer", continue: "string", sort: "string" } as const;

interface ValueOf {
  string: string;
  strings: readonly string[];
  boolean: boolean;
  integer: number;
  integers: readonly number[];
}

/** The part of a request that travels in the query; nothing in it is required. */
export type QueryOf<F extends Fields> = { readonly [K in keyof F]?: ValueOf[F[K]] | undefined };

type PathNames<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never;

/** The part of a request that travels in the path, read from the path itself. */
export type PathOf<P extends string> = { readonly [K in PathNames<P>]: string };

const kib = 1024;

/** Largest bodies, in bytes. Servers read no more of a request than its route declares. */
export const bodyLimits = {
  none: 0,
  /** A password, a name. */
  small: 16 * kib,
  /** One text of a ConfigMap. */
  text: 256 * kib,
  /** One Kubernetes object: etcd takes 1.5 MB. */
  object: 3 * kib * kib,
  /** Manifests of a person's own folder, or the packed folder itself. */
  manifests: 5 * kib * kib,
} as const;

/** What a server has to know of a call before it reads its body. There is no default that is open. */
export interface RouteGuards {
  /** `open`: strangers are answered too, if with less. `token`: nobody without a valid token. */
  readonly access: "token" | "open";
  /** Bytes. */
  readonly maxBody: number;
  /** The same answer for everybody: clients need not log in for it. */
  readonly sameForAll?: true;
  /** The answer makes the session's cookie, or ends it. */
  readonly session?: "begins" | "ends";
  readonly rpc?: RpcBinding;
}

/** The gRPC form of a call: its messages have the fields of the REST request and answer. */
export interface RpcBinding {
  /** `package.Service/Method`; Argo CD has two names for some. */
  readonly methods: readonly string[];
  /** Where the message names things otherwise: a field of the request → its dotted path in the message. */
  readonly fields: Readonly<Record<string, string>>;
  /** The caller sends many messages: a field of the request ← the place in each that holds a piece of it, as bytes. */
  readonly pieces?: { readonly field: string; readonly place: string };
}

/**
 * One REST call. Bodies follow grpc-gateway, since that is what Argo CD's clients speak: `body: "*"` spreads
 * the request's own fields over the body, `body: "application"` makes that one field the whole body.
 */
export interface Route<In, Out> extends RouteGuards {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query: Fields;
  readonly body?: string;
  /** What the body must look like, as far as it is there. */
  readonly bodyShape?: Shape;
  readonly stream?: true;
  /** Never set: carries the types from the table to handlers and clients. */
  readonly types?: { readonly in: In; readonly out: Out };
}

/** A call as whoever goes over all of them sees it: what it takes and gives is its handler's and its clients'. */
export type AnyRoute = Omit<Route<never, unknown>, "types">;

/** A call that answers with one message after the other until the caller or the source ends it. */
export interface StreamRoute<In, Out> extends Route<In, Out> {
  readonly stream: true;
}

export type InOf<R> = R extends Route<infer In, unknown> ? In : never;
export type OutOf<R> = R extends Route<infer _In, infer Out> ? Out : never;

type Method = Route<unknown, unknown>["method"];

/** A call that needs a token. */
export function route<const P extends string, const F extends Fields>(method: Method, path: P, query: F) {
  return guardedRoute({ method, path, query }, { access: "token" });
}

/** A call that also answers somebody without a token, if with less. */
export function openRoute<const P extends string, const F extends Fields>(method: Method, path: P, query: F) {
  return guardedRoute({ method, path, query }, { access: "open" });
}

/** A call with the same answer for everybody. */
export function publicRoute<const P extends string>(method: Method, path: P) {
  return guardedRoute({ method, path, query: {} }, { access: "open", sameForAll: true });
}

/** A call that makes the session's cookie, or ends it. */
export function sessionRoute<const P extends string>(method: Method, path: P, session: "begins" | "ends") {
  return guardedRoute({ method, path, query: {} }, { access: "open", session });
}

interface Address<P extends string, F extends Fields> {
  readonly method: Method;
  readonly path: P;
  readonly query: F;
}

/** The steps that are left to describe a call. */
interface GuardedRoute<P extends string, F extends Fields> {
  /** Its name in gRPC, `package.Service/Method`, and where the message's fields are named otherwise. */
  rpc(
    methods: string | readonly string[],
    fields?: RpcBinding["fields"],
    pieces?: RpcBinding["pieces"],
  ): GuardedRoute<P, F>;
  answers<Out>(): Route<PathOf<P> & QueryOf<F>, Out>;
  streams<Out>(): StreamRoute<PathOf<P> & QueryOf<F>, Out>;
  /** One field of the request is the body. */
  takes<Body, const B extends string>(
    body: B,
    schema: Schema<Body>,
    maxBody?: number,
  ): { answers<Out>(): Route<PathOf<P> & QueryOf<F> & { readonly [K in B]: Body }, Out> };
  /** The request's other fields are the body. */
  takesAll<Body>(
    schema: Schema<Body>,
    maxBody?: number,
  ): { answers<Out>(): Route<PathOf<P> & QueryOf<F> & Body, Out> };
}

function guardedRoute<const P extends string, const F extends Fields>(
  address: Address<P, F>,
  guards: Omit<RouteGuards, "maxBody">,
): GuardedRoute<P, F> {
  const guarded = { ...address, ...guards, maxBody: bodyLimits.none };
  return {
    rpc: (methods, fields = {}, pieces) => {
      const rpc = { methods: [methods].flat(), fields, ...(pieces ? { pieces } : {}) };
      return guardedRoute(address, { ...guards, rpc });
    },
    answers: () => guarded,
    streams: () => ({ ...guarded, stream: true }),
    takes: (body, { shape: bodyShape }, maxBody = bodyLimits.object) => ({
      answers: () => ({ ...guarded, ...{ maxBody, body, bodyShape } }),
    }),
    takesAll: ({ shape: bodyShape }, maxBody = bodyLimits.object) => ({
      answers: () => ({ ...guarded, ...{ maxBody, body: "*", bodyShape } }),
    }),
  };
}
