import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { traceparent } from "@capstan/flow";
import {
  type Client,
  type ClientReadableStream,
  type ClientWritableStream,
  type CallOptions as GrpcOptions,
  Metadata,
  type ServiceError,
} from "@grpc/grpc-js";
import { messageCodec } from "./message-codec.ts";
import { RpcError } from "./rpc-error.ts";
import type { CallOptions, Calls, ClientStream } from "./service-types.ts";
import { sendOn } from "./stream-ends.ts";

interface Cancellable {
  cancel(): void;
}

/** A remote method, before its kind is known. */
interface Remote {
  readonly path: string;
  readonly client: Client;
  encode(message: unknown): Buffer;
  decode(bytes: Buffer): unknown;
}

/** Calls a service of a .proto file over a connection of grpc-js. The caller owns and closes the connection. */
export function grpcClient<S extends DescService>(service: S, client: Client): Calls<S>;
export function grpcClient(service: DescService, client: Client): Record<string, unknown> {
  const calls: Record<string, unknown> = {};
  for (const method of service.methods) {
    const { encode } = messageCodec(method.input);
    const { decode } = messageCodec(method.output);
    const path = `/${service.typeName}/${method.name}`;
    calls[method.localName] = callOf(method, { path, client, encode, decode });
  }
  return calls;
}

function callOf({ methodKind }: DescMethod, remote: Remote): unknown {
  switch (methodKind) {
    case "unary":
      return (request: unknown, options: CallOptions) => askOnce(remote, request, options);
    case "client_streaming":
      return (requests: AsyncIterable<unknown>, options: CallOptions) => upload(remote, requests, options);
    case "server_streaming":
      return (request: unknown, options: CallOptions) => download(remote, request, options);
    case "bidi_streaming":
      return (options: CallOptions) => converse(remote, options);
  }
}

function askOnce(remote: Remote, request: unknown, options: CallOptions): Promise<unknown> {
  const { path, client, encode, decode } = remote;
  return answered(options, (done) =>
    client.makeUnaryRequest(path, encode, decode, request, metadataOf(options), grpcOptions(options), done),
  );
}

async function upload(
  remote: Remote,
  requests: AsyncIterable<unknown>,
  options: CallOptions,
): Promise<unknown> {
  const { path, client, encode, decode } = remote;
  const over = new AbortController();
  let pumping: Promise<void> | undefined;
  try {
    return await answered(options, (done) => {
      const call = client.makeClientStreamRequest(
        path,
        encode,
        decode,
        metadataOf(options),
        grpcOptions(options),
        done,
      );
      // A failure to send ends the call, and its answer says why; one to read the requests is ours to tell.
      pumping = pump(call, requests, AbortSignal.any([options.signal, over.signal]));
      pumping.catch(() => call.cancel());
      return call;
    });
  } catch (error) {
    over.abort(error);
    await pumping?.catch((problem: unknown) => {
      if (problem !== error && !options.signal.aborted && isCancelled(error)) throw problem;
    });
    throw error;
  } finally {
    over.abort(new Error("the call has ended"));
  }
}

async function pump(
  call: ClientWritableStream<unknown>,
  requests: AsyncIterable<unknown>,
  signal: AbortSignal,
): Promise<void> {
  const send = sendOn(call, signal);
  for await (const request of requests) {
    if (signal.aborted) return;
    await send(request);
  }
  call.end();
}

async function* download(remote: Remote, request: unknown, options: CallOptions): AsyncGenerator<unknown> {
  const { path, client, encode, decode } = remote;
  options.signal.throwIfAborted();
  yield* received(
    client.makeServerStreamRequest(path, encode, decode, request, metadataOf(options), grpcOptions(options)),
    options.signal,
  );
}

function converse(remote: Remote, options: CallOptions): ClientStream<unknown, unknown> {
  const { path, client, encode, decode } = remote;
  options.signal.throwIfAborted();
  const call = client.makeBidiStreamRequest(path, encode, decode, metadataOf(options), grpcOptions(options));
  const ended = new AbortController();
  call.once("status", () => ended.abort(new Error("the call has ended")));
  const answers = received(call, options.signal);
  return {
    send: sendOn(call, AbortSignal.any([options.signal, ended.signal])),
    end: () => call.end(),
    [Symbol.asyncIterator]: () => answers,
  };
}

async function* received(
  call: ClientReadableStream<unknown>,
  signal: AbortSignal,
): AsyncGenerator<unknown, void, void> {
  const stop = cancelOn(call, signal);
  try {
    yield* call;
  } catch (error) {
    throw failureOf(error, signal);
  } finally {
    stop();
    call.cancel();
  }
}

function answered(
  { signal }: CallOptions,
  start: (done: (error: ServiceError | null, value?: unknown) => void) => Cancellable,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const call = start((error, value) => {
      stop();
      if (error) reject(failureOf(error, signal));
      else resolve(value);
    });
    const stop = cancelOn(call, signal);
  });
}

function cancelOn(call: Cancellable, signal: AbortSignal): () => void {
  const cancel = () => call.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  return () => signal.removeEventListener("abort", cancel);
}

function failureOf(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (!isServiceError(error)) return error;
  return new RpcError(error.code, error.details, error);
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && "code" in error && "details" in error;
}

function isCancelled(error: unknown): boolean {
  return error instanceof RpcError && error.code === 1;
}

function metadataOf({ headers = {} }: CallOptions): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  // W3C Trace Context, as OpenTelemetry passes it on in metadata of gRPC.
  const trace = traceparent();
  if (trace !== undefined) metadata.set("traceparent", trace);
  return metadata;
}

function grpcOptions({ deadline }: CallOptions): GrpcOptions {
  return deadline === undefined ? {} : { deadline };
}
