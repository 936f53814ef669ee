import type { DescMethod, DescService, MessageInitShape, MessageShape } from "@bufbuild/protobuf";

/** Who calls, until when. */
export interface Call {
  /** Aborted when the caller leaves or its deadline passes. */
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch; infinite where the caller set none. */
  readonly deadline: number;
  /** The first value of each header, names in lower case. */
  header(name: string): string | undefined;
}

/** One side of a stream: what comes is iterated, what goes waits until the other side keeps up. */
export interface RpcStream<Incoming, Outgoing> extends AsyncIterable<Incoming> {
  send(message: Outgoing): Promise<void>;
}

export interface ClientStream<Incoming, Outgoing> extends RpcStream<Incoming, Outgoing> {
  /** Nothing more is sent; answers still come. */
  end(): void;
}

type In<M extends DescMethod> = MessageShape<M["input"]>;
type Out<M extends DescMethod> = MessageShape<M["output"]>;
type InitIn<M extends DescMethod> = MessageInitShape<M["input"]>;
type InitOut<M extends DescMethod> = MessageInitShape<M["output"]>;

interface HandlersByKind<M extends DescMethod> {
  unary(request: In<M>, call: Call): Promise<InitOut<M>>;
  client_streaming(requests: AsyncIterable<In<M>>, call: Call): Promise<InitOut<M>>;
  server_streaming(
    request: In<M>,
    stream: Pick<RpcStream<never, InitOut<M>>, "send">,
    call: Call,
  ): Promise<void>;
  bidi_streaming(stream: RpcStream<In<M>, InitOut<M>>, call: Call): Promise<void>;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly deadline?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

interface CallsByKind<M extends DescMethod> {
  unary(request: InitIn<M>, options: CallOptions): Promise<Out<M>>;
  client_streaming(requests: AsyncIterable<InitIn<M>>, options: CallOptions): Promise<Out<M>>;
  server_streaming(request: InitIn<M>, options: CallOptions): AsyncIterable<Out<M>>;
  bidi_streaming(options: CallOptions): ClientStream<Out<M>, InitIn<M>>;
}

/** What a server does for each method of a service; it knows nothing of the transport. */
export type Handlers<S extends DescService> = {
  [K in keyof S["method"]]: HandlersByKind<S["method"][K]>[S["method"][K]["methodKind"]];
};

/** What a caller of a service sees. Failures are RpcErrors, or the reason of the signal. */
export type Calls<S extends DescService> = {
  [K in keyof S["method"]]: CallsByKind<S["method"][K]>[S["method"][K]["methodKind"]];
};
