import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";

/** What the server behind has answered. */
export interface AnswerBehind {
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
}

const passedOn = ["content-type", "content-encoding", "git-protocol"];

/**
 * Stands before a git server over HTTP: what that one answers to Capstan's own question for a commit is told by `tell`,
 * all else as it comes.
 */
export function before(
  server: string,
  tell: (response: ServerResponse, answer: AnswerBehind) => void | Promise<void>,
): RequestListener {
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = "GET", url = "", headers } = request;
    const sent = passedOn.flatMap((name) => (headers[name] ? [[name, `${headers[name]}`] as const] : []));
    const body = method === "POST" ? { body: await buffer(request) } : {};
    const answer = await fetch(`${server}${url}`, { method, headers: Object.fromEntries(sent), ...body });
    const { status } = answer;
    const type = answer.headers.get("content-type") ?? "";
    const given = { status, type, body: Buffer.from(await answer.arrayBuffer()) };
    if (method === "POST" && /capstan/.test(headers["user-agent"] ?? "")) return tell(response, given);
    response.writeHead(status, { "content-type": type }).end(given.body);
  };
  return (request, response) => {
    pass(request, response).catch((error: Error) => response.destroy(error));
  };
}
