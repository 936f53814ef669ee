import { once } from "node:events";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import type { Places } from "./attack.ts";

/** A request as a browser or a hostile program sends it: fetch would set or encode some of this by itself. */
export interface RawRequest {
  readonly method?: string;
  /** Sent as it is. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Address of the loopback from which it is sent: 127.0.0.2 is somebody else than 127.0.0.1. */
  readonly from?: string;
}

const limitMs = 30_000;

export async function sendRaw({ url }: Pick<Places, "url">, asked: RawRequest) {
  const { hostname, port } = new URL(url);
  const { method = "GET", path, headers = {}, body, from } = asked;
  const sent = request({
    ...{ hostname, port, method, path, headers, agent: false },
    ...(from === undefined ? {} : { localAddress: from }),
    signal: AbortSignal.timeout(limitMs),
  });
  sent.end(body);
  const [answer] = await once(sent, "response");
  return { status: Number(answer.statusCode), headers: answer.headers, text: await text(answer) };
}
