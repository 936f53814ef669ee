import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { createContextKey, createContextValues } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { bounded } from "./bounded-messages.ts";
import { refusalOf } from "./error-body.ts";
import { callerOf, rpcProblem } from "./guard.ts";
import type { RestServerInput } from "./rest-server.ts";
import { type RpcCaller, readMaxBytes, routeRpc, rpcMethods } from "./rpc-router.ts";
import { rpcText } from "./rpc-text.ts";
import { shownBy } from "./session-cookie.ts";
import type { StreamPlaces } from "./stream-places.ts";

type Request = IncomingMessage | Http2ServerRequest;
type Response = ServerResponse | Http2ServerResponse;

/** Beside what REST needs. */
export interface RpcNeeds {
  streams: StreamPlaces;
  /** Aborted when the server stops. */
  signal: AbortSignal;
  /** Of streams, which end before that. */
  ending: AbortSignal;
}

/** google.golang.org/grpc/codes. */
const codes = { denied: 7, unimplemented: 12 } as const;

const callerKey = createContextKey<RpcCaller | undefined>(undefined);

/**
 * Answers gRPC and gRPC-web: the calls of the REST table under Argo CD's own names. As with REST, who asks and whether
 * they may ask at all is judged before the message is read.
 */
export function createRpcServer(
  needs: RestServerInput & RpcNeeds,
): (request: Request, response: Response) => Promise<void> {
  const methods = rpcMethods();
  const callers = new WeakMap<Request, RpcCaller>();
  const adapter = connectNodeAdapter({
    routes: (router) => {
      routeRpc(router, methods.values(), {
        ...needs,
        callerOf: ({ values }) => {
          const caller = values.get(callerKey);
          if (!caller) throw new TypeError("the call was not judged");
          return caller;
        },
      });
      for (const [index, handler] of router.handlers.entries()) {
        const { declared } = methods.get(handler.requestPath) ?? {};
        if (declared) router.handlers[index] = bounded(handler, readMaxBytes(declared));
      }
    },
    connect: false,
    // argocd --grpc-web takes every message as uncompressed, whatever it says of itself.
    acceptCompression: [],
    shutdownSignal: needs.signal,
    contextValues: (request) => createContextValues().set(callerKey, callers.get(request)),
  });
  return async (request, response) => {
    const found = methods.get(request.url?.split("?")[0] ?? "");
    const caller = callerOf(request, needs.proxies);
    const problem = rpcProblem(request, caller, needs);
    if (problem) return refuse({ request, response }, codes.denied, problem);
    if (!found)
      return refuse(
        { request, response },
        codes.unimplemented,
        `${request.url} is not a method of this server`,
      );
    try {
      const user = await needs.authenticate(shownBy(request.headers), found.declared.access === "token");
      callers.set(request, { user, address: caller.address });
    } catch (error) {
      const { status, body } = refusalOf(needs.translateError(error));
      return refuse({ request, response }, status.grpc, body.message);
    }
    adapter(request, response);
  };
}

/** Bytes of a message that nobody will look at. */
const maxUnread = 64 * 1024;

/** An answer of headers alone (gRPC over HTTP/2, Trailers-Only); the message is not looked at. */
function refuse(
  { request, response }: { request: Request; response: Response },
  code: number,
  message: string,
): void {
  response.statusCode = 200;
  response.setHeader("content-type", "application/grpc");
  response.setHeader("grpc-status", String(code));
  response.setHeader("grpc-message", rpcText(message));
  if ("stream" in response) return void response.end();
  response.setHeader("connection", "close");
  response.setHeader("content-length", "0");
  response.flushHeaders();
  // Closed while the client still writes its message, the connection would take the answer along (RFC 9112, 9.6).
  let left = maxUnread;
  request.on("data", (piece: Buffer) => {
    left -= piece.length;
    if (left < 0) response.end();
  });
  request.on("end", () => response.end());
}
