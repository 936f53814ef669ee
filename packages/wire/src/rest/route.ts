/** How a value of a query parameter reads. Repeated parameters are the plural kinds. */
export type FieldKind = "string" | "strings" | "boolean" | "integer" | "integers";

export type Fields = Readonly<Record<string, FieldKind>>;

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

/**
 * One REST call. Bodies follow grpc-gateway, since that is what Argo CD's clients speak: `body: "*"` spreads
 * the request's own fields over the body, `body: "application"` makes that one field the whole body.
 */
export interface Route<In, Out> {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query: Fields;
  readonly body?: string;
  readonly stream?: true;
  /** Never set: carries the types from the table to handlers and clients. */
  readonly types?: { readonly in: In; readonly out: Out };
}

/** A call that answers with one message after the other until the caller or the source ends it. */
export interface StreamRoute<In, Out> extends Route<In, Out> {
  readonly stream: true;
}

export type InOf<R> = R extends Route<infer In, unknown> ? In : never;
export type OutOf<R> = R extends Route<infer _In, infer Out> ? Out : never;

type Method = Route<unknown, unknown>["method"];

/** A call without a body. */
export function route<const P extends string, const F extends Fields>(method: Method, path: P, query: F) {
  return {
    answers: <Out>(): Route<PathOf<P> & QueryOf<F>, Out> => ({ method, path, query }),
    streams: <Out>(): StreamRoute<PathOf<P> & QueryOf<F>, Out> => ({ method, path, query, stream: true }),
    /** One field of the request is the body. */
    takes: <Body, const B extends string>(body: B) => ({
      answers: <Out>(): Route<PathOf<P> & QueryOf<F> & { readonly [K in B]: Body }, Out> => ({
        method,
        path,
        query,
        body,
      }),
    }),
    /** The request's other fields are the body. */
    takesAll: <Body>() => ({
      answers: <Out>(): Route<PathOf<P> & QueryOf<F> & Body, Out> => ({ method, path, query, body: "*" }),
    }),
  };
}
