import { apiMethods, jsonOfMessage, messageOfJson } from "@capstan/wire/rpc";
import { ConnectError, type Transport } from "@connectrpc/connect";
import { createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";

export interface RpcCall {
  /** `package.Service/Method` */
  readonly method: string;
  /** The message as JSON. */
  readonly request: unknown;
  readonly token?: string | null;
  readonly signal: AbortSignal;
}

/** Speaks to the API by gRPC; `web`: by gRPC-web over HTTP/1. An https address is believed whatever it shows. */
export class RpcClient {
  readonly #transport: Transport;

  constructor(baseUrl: string, form: "grpc" | "web" = "grpc") {
    const nodeOptions = { rejectUnauthorized: false };
    this.#transport =
      form === "grpc"
        ? createGrpcTransport({ baseUrl, nodeOptions })
        : // A connection that is kept may be ended by the server at the moment when the next request goes out.
          createGrpcWebTransport({
            baseUrl,
            nodeOptions: { ...nodeOptions, agent: false },
            httpVersion: "1.1",
          });
  }

  /** The answers, one or many, as JSON. Throws a ConnectError. */
  async *ask({ method: path, request, token, signal }: RpcCall): AsyncGenerator<unknown, void, void> {
    const method = apiMethods.get(path);
    if (!method) throw new TypeError(`no service has the method ${path}`);
    const input = (async function* () {
      yield messageOfJson(method.input, request);
    })();
    const headers = token ? { token } : {};
    const answer = await this.#transport.stream(method as never, signal, undefined, headers, input as never);
    for await (const message of answer.message) yield jsonOfMessage(method.output, message);
  }

  /** The first answer, or the refusal. */
  async askOrRefusal(call: RpcCall): Promise<{ answer: unknown } | { code: number; message: string }> {
    try {
      return { answer: await this.askOnce(call) };
    } catch (error) {
      if (error instanceof ConnectError) return { code: error.code, message: error.rawMessage };
      throw error;
    }
  }

  /** The first answer. */
  async askOnce(call: RpcCall): Promise<unknown> {
    for await (const answer of this.ask(call)) return answer;
    return undefined;
  }
}
