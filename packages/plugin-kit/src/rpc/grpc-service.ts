import type { EventEmitter } from "node:events";
import type { Readable } from "node:stream";
import type { DescMethod, DescService } from "@bufbuild/protobuf";
import type {
  Metadata,
  ServerDuplexStream,
  ServerReadableStream,
  ServerUnaryCall,
  ServerWritableStream,
  ServiceDefinition,
  sendUnaryData,
  UntypedHandleCall,
  UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { messageCodec } from "./message-codec.ts";
import { grpcStatusOf } from "./rpc-error.ts";
import type { Call, Handlers } from "./service-types.ts";
import { type Sink, sendOn } from "./stream-ends.ts";

/** A service with its handlers, as grpc-js' `Server.addService` takes them. */
export interface GrpcService {
  readonly definition: ServiceDefinition;
  readonly implementation: UntypedServiceImplementation;
}

/** Wraps every call of a service, to count and log it. */
export type AroundCall = (method: DescMethod, call: Call, work: () => Promise<void>) => Promise<void>;

interface ServerCall extends EventEmitter {
  getDeadline(): Date | number;
  metadata: Metadata;
  cancelled: boolean;
}

type AnyHandler = (...args: unknown[]) => Promise<unknown>;
type Answer = sendUnaryData<unknown>;

const callLeft = "the caller left or its deadline passed";

/** Serves a service of a .proto file through grpc-js. */
export function grpcService<S extends DescService>(
  service: S,
  handlers: Handlers<S>,
  around: AroundCall = (_method, _call, work) => work(),
): GrpcService {
  const definition: Record<string, ServiceDefinition[string]> = {};
  const implementation: UntypedServiceImplementation = {};
  const byName = new Map<string, unknown>(Object.entries(handlers));
  for (const method of service.methods) {
    const handler = byName.get(method.localName);
    if (!isHandler(handler)) throw new TypeError(`${service.typeName} has no handler for ${method.name}`);
    const [input, output] = [messageCodec(method.input), messageCodec(method.output)];
    definition[method.localName] = {
      path: `/${service.typeName}/${method.name}`,
      requestStream: method.methodKind === "client_streaming" || method.methodKind === "bidi_streaming",
      responseStream: method.methodKind === "server_streaming" || method.methodKind === "bidi_streaming",
      requestSerialize: input.encode,
      requestDeserialize: input.decode,
      responseSerialize: output.encode,
      responseDeserialize: output.decode,
    };
    implementation[method.localName] = handle(method, handler, around);
  }
  return { definition, implementation };
}

function handle(method: DescMethod, handler: AnyHandler, around: AroundCall): UntypedHandleCall {
  /** `work` gives the one answer, or nothing where it streamed its answers. */
  const run = async (from: ServerCall, work: (call: Call) => Promise<unknown>): Promise<unknown> => {
    const call = describeCall(from);
    let answer: unknown;
    await around(method, call, async () => {
      answer = await work(call);
    });
    return answer;
  };
  switch (method.methodKind) {
    case "unary":
      return (from: ServerUnaryCall<unknown, unknown>, answer: Answer) =>
        answerOnce(
          run(from, (call) => handler(from.request, call)),
          answer,
        );
    case "client_streaming":
      return (from: ServerReadableStream<unknown, unknown>, answer: Answer) =>
        answerOnce(
          run(from, (call) => handler(incoming(from), call)),
          answer,
        );
    case "server_streaming":
      return (from: ServerWritableStream<unknown, unknown>) =>
        endAfter(
          run(from, (call) => handler(from.request, { send: sendOn(from, call.signal) }, call)),
          from,
        );
    case "bidi_streaming":
      return (from: ServerDuplexStream<unknown, unknown>) =>
        endAfter(
          run(from, (call) => handler(duplex(from, call), call)),
          from,
        );
  }
}

function answerOnce(result: Promise<unknown>, answer: Answer): void {
  result.then(
    (value) => answer(null, value),
    (error: unknown) => answer(grpcStatusOf(error)),
  );
}

function endAfter(result: Promise<unknown>, stream: EventEmitter & { end(): unknown }): void {
  result.then(
    () => stream.end(),
    (error: unknown) => stream.emit("error", grpcStatusOf(error)),
  );
}

function describeCall(from: ServerCall): Call {
  const left = new AbortController();
  const leave = () => left.abort(new Error(callLeft));
  if (from.cancelled) leave();
  else from.once("cancelled", leave);
  return {
    signal: left.signal,
    deadline: Number(from.getDeadline()),
    header: (name) => from.metadata.get(name)[0]?.toString(),
  };
}

/** Leaving the loop early must not destroy the call: the answer is still to be sent on it. */
function incoming(stream: Pick<Readable, "iterator">): AsyncIterable<unknown> {
  return { [Symbol.asyncIterator]: () => stream.iterator({ destroyOnReturn: false }) };
}

function duplex(stream: Pick<Readable, "iterator"> & Sink, call: Call) {
  return { ...incoming(stream), send: sendOn(stream, call.signal) };
}

function isHandler(value: unknown): value is AnyHandler {
  return typeof value === "function";
}
