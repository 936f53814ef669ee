import type { DescMethod, Message } from "@bufbuild/protobuf";
import { isRecord } from "@capstan/formats";
import { CapstanError, messageOf } from "@capstan/model";
import {
  type AnyRoute,
  everyRoute,
  type RouteName,
  readMessage,
  UnreadableRequest,
  valueAt,
} from "@capstan/wire";
import { apiMethods, firstUnknown, jsonOfMessage, keepUnsaid, messageOfJson } from "@capstan/wire/rpc";
import { Code, ConnectError, type ConnectRouter, type HandlerContext } from "@connectrpc/connect";
import type { AnyHandler, Call } from "../call.ts";
import { boundedWarnings } from "./bounded-warnings.ts";
import { refusalOf } from "./error-body.ts";
import type { RestServerInput } from "./rest-server.ts";
import { rpcText } from "./rpc-text.ts";
import { streamOf } from "./stream-of.ts";
import type { StreamPlaces } from "./stream-places.ts";

type Json = Record<string, unknown>;

/** Who calls, known before the message was read. */
export type RpcCaller = Pick<Call, "user" | "address">;

export interface RpcRouterNeeds extends Pick<RestServerInput, "handlers" | "translateError" | "log"> {
  streams: StreamPlaces;
  /** Streams end then, and their callers are told to ask again. */
  ending: AbortSignal;
  callerOf(context: HandlerContext): RpcCaller;
}

/** A call of a service, with the record that it shares with its REST form. */
export interface RpcMethod {
  readonly name: RouteName;
  readonly declared: AnyRoute;
  readonly method: DescMethod;
}

/** Bytes: what the REST form says in its address stands in the message, so that it may be as much longer. */
const maxAddress = 64 * 1024;

export const readMaxBytes = ({ maxBody }: AnyRoute): number => maxBody + maxAddress;

/** By path, `/package.Service/Method`: every method of Argo CD's services that a route names. */
export function rpcMethods(): ReadonlyMap<string, RpcMethod> {
  const named = new Map<string, RpcMethod>();
  for (const [name, declared] of everyRoute) {
    for (const path of declared.rpc?.methods ?? []) {
      const method = apiMethods.get(path);
      if (!method) throw new TypeError(`${name}: no service has the method ${path}`);
      named.set(`/${path}`, { name, declared, method });
    }
  }
  return named;
}

/** Puts every method on its path; each gives its handler what the REST form would. */
export function routeRpc(router: ConnectRouter, methods: Iterable<RpcMethod>, needs: RpcRouterNeeds): void {
  for (const one of methods) {
    // A router's types know the kind of a method from its type alone.
    router.rpc(one.method, implementationOf(one, needs) as never, {
      readMaxBytes: readMaxBytes(one.declared),
    });
  }
}

function implementationOf({ name, declared, method }: RpcMethod, needs: RpcRouterNeeds) {
  // The table pairs each name with its handler's types, and messages are read by their shape.
  const handler = needs.handlers[name] as AnyHandler;
  const askOf = (json: Json, context: HandlerContext, signal = context.signal) => {
    const unknown = declared.method === "GET" ? undefined : firstUnknown(json);
    if (unknown)
      throw new UnreadableRequest(`${unknown} is no field that this server knows: use REST for it`);
    const request = readMessage(declared, json);
    const warn = boundedWarnings((text) => context.responseTrailer.append("warning", rpcText(text)));
    return handler(request, { ...needs.callerOf(context), signal, warn, keepUnsaid: keeperOf(method) });
  };
  const ask = (message: Message, context: HandlerContext, signal = context.signal) =>
    askOf(jsonOf(method, message), context, signal);
  const fail = (error: unknown, context: HandlerContext) => {
    const failure = failureOf(error, method, needs);
    if (context.protocolName === "grpc-web") sayInHeaders(failure, context);
    return failure;
  };
  if (method.methodKind === "client_streaming")
    return async (sent: AsyncIterable<Message>, context: HandlerContext) => {
      try {
        using _place = needs.streams.take(needs.callerOf(context).user.name);
        return messageOfJson(method.output, await askOf(await joinPieces(sent, method, declared), context));
      } catch (error) {
        throw fail(error, context);
      }
    };
  if (method.methodKind !== "server_streaming")
    return async (message: Message, context: HandlerContext) => {
      try {
        return messageOfJson(method.output, await ask(message, context));
      } catch (error) {
        throw fail(error, context);
      }
    };
  return async function* (message: Message, context: HandlerContext) {
    try {
      using _place = needs.streams.take(needs.callerOf(context).user.name);
      const answers = await ask(message, context, AbortSignal.any([context.signal, needs.ending]));
      for await (const answer of streamOf(answers)) yield messageFor(method, answer);
      needs.ending.throwIfAborted();
    } catch (error) {
      if (!context.signal.aborted) throw fail(needs.ending.aborted ? needs.ending.reason : error, context);
    }
  };
}

/** argocd --grpc-web looks for a failure in the headers alone, and not in the body, where the protocol has it too. */
function sayInHeaders({ code, rawMessage }: ConnectError, { responseHeader }: HandlerContext): void {
  responseHeader.set("grpc-status", String(code));
  responseHeader.set("grpc-message", rpcText(rawMessage));
}

function jsonOf({ input }: DescMethod, message: Message): Json {
  try {
    const json = jsonOfMessage(input, message);
    return isRecord(json) ? json : {};
  } catch (error) {
    // A number that is too large, or a text within that should be JSON and is not.
    throw new UnreadableRequest(`the message cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

/** One request of many messages: the first says what is asked, the others hold pieces of one of its fields. */
async function joinPieces(
  sent: AsyncIterable<Message>,
  method: DescMethod,
  { rpc, maxBody }: AnyRoute,
): Promise<Json> {
  let first: Json | undefined;
  const pieces: Buffer[] = [];
  let bytes = 0;
  const { field = "", place = "" } = rpc?.pieces ?? {};
  for await (const message of sent) {
    const json = jsonOf(method, message);
    first ??= json;
    const piece = valueAt(json, place);
    if (typeof piece !== "string") continue;
    pieces.push(Buffer.from(piece, "base64"));
    bytes += pieces.at(-1)?.length ?? 0;
    if (bytes > maxBody)
      throw new CapstanError({ code: "INVALID_ARGUMENT", field, problem: `is larger than ${maxBody} bytes` });
  }
  return { ...first, [field]: Buffer.concat(pieces).toString("base64") };
}

/** Of the objects in a method's request, by their fields. */
function keeperOf({ input }: DescMethod): NonNullable<Call["keepUnsaid"]> {
  return (field, given, stored) => {
    const desc = input.fields.find(({ jsonName }) => jsonName === field)?.message;
    // It only adds what is stored of the same object.
    return desc ? (keepUnsaid(desc, given, stored) as typeof given) : given;
  };
}

const messages = new WeakMap<object, Message>();

/** One answer that goes to many watchers is made into a message once. */
function messageFor({ output }: DescMethod, answer: unknown): Message {
  if (typeof answer !== "object" || answer === null) return messageOfJson(output, answer);
  const known = messages.get(answer);
  if (known) return known;
  const made = messageOfJson(output, answer);
  messages.set(answer, made);
  return made;
}

/** The same failure, sentence and code as of the REST form. */
function failureOf(thrown: unknown, { parent, name }: DescMethod, needs: RpcRouterNeeds): ConnectError {
  const error = needs.translateError(thrown);
  const { status, body } = refusalOf(error);
  if (status.http >= 500) needs.log.warn({ err: error, method: `${parent.typeName}/${name}` }, "call failed");
  return new ConnectError(body.message, codeOf(status.grpc));
}

function codeOf(grpc: number): Code {
  return Code[grpc] === undefined ? Code.Unknown : grpc;
}
