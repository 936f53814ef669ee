import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";

export interface Answer {
  status: number;
  type: string;
  warnings: string[];
  text: string;
}

export interface Target extends Disposable {
  readonly name: string;
  send(request: Outgoing): Promise<Answer>;
}

export interface Outgoing {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
  /** Leaves a stream after so many lines. */
  lines?: number;
}

const limitMs = 30_000;
const sizeLimit = 32 << 20;

/** Plain HTTP/1.1 requests: nothing between the suite and what the server says. */
export function openTarget(name: string, url: string, token: string): Target {
  const agent = new Agent({ keepAlive: true, maxSockets: 32, rejectUnauthorized: false });
  const { hostname, port } = new URL(url);
  const send = (sending: Outgoing): Promise<Answer> => {
    const { method, path, headers, body, lines } = sending;
    return new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
      const sent = { authorization: `Bearer ${token}`, "user-agent": "compat/1", ...length, ...headers };
      const signal = AbortSignal.timeout(limitMs);
      const outgoing = request({ hostname, port, agent, method, path, headers: sent, signal }, (incoming) => {
        read(incoming, lines).then(resolve, reject);
      });
      outgoing.on("error", (error) => {
        // The server has closed a connection that was idle for long: the request has not reached it.
        if (outgoing.reusedSocket && "code" in error && error.code === "ECONNRESET") resolve(send(sending));
        else reject(new Error(`${name}: ${method} ${path}: ${error.message}`));
      });
      outgoing.end(body);
    });
  };
  return {
    name,
    send,
    [Symbol.dispose]: () => agent.destroy(),
  };
}

async function read(incoming: IncomingMessage, lines: number | undefined): Promise<Answer> {
  let text = "";
  incoming.setEncoding("utf8");
  for await (const chunk of incoming) {
    text += chunk;
    if (text.length > sizeLimit) throw new Error("the answer is too large");
    if (lines !== undefined && text.split("\n").length > lines) break;
  }
  const { statusCode = 0, headersDistinct } = incoming;
  return {
    status: statusCode,
    type: headersDistinct["content-type"]?.join(", ") ?? "",
    // One header with several values says the same as several headers (RFC 9110, 5.3).
    warnings: (headersDistinct.warning ?? []).flatMap((line) => line.split(/, (?=299 )/)),
    text,
  };
}
