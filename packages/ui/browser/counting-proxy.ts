import { once } from "node:events";
import { createServer, request } from "node:http";
import { type AddressInfo, connect } from "node:net";

/** What came back for one request; of a websocket both ways. */
export interface Carried {
  readonly path: string;
  bytes: number;
  /** What came, where it is asked for in plain. */
  text: string;
}

/** Stands before a server and counts what goes through: also what a browser's worker asks for, which its pages do not tell. */
export class CountingProxy implements AsyncDisposable {
  readonly url: string;
  /** In the order of the requests. */
  readonly carried: Carried[];
  readonly #close: () => Promise<void>;

  private constructor(facts: { url: string; carried: Carried[]; close: () => Promise<void> }) {
    this.url = facts.url;
    this.carried = facts.carried;
    this.#close = facts.close;
  }

  /** `inPlain`: the server is asked for nothing packed, so that what came can be read. */
  static async start(to: string, { inPlain = false } = {}): Promise<CountingProxy> {
    const { hostname, port } = new URL(to);
    const carried: Carried[] = [];
    const count = (url = "") => {
      const one = { path: new URL(url, to).pathname, bytes: 0, text: "" };
      carried.push(one);
      return one;
    };
    const isPassed = (header: string) =>
      !inPlain || !["accept-encoding", "sec-websocket-extensions"].includes(header.toLowerCase());
    const take = (one: Carried, piece: Buffer) => {
      one.bytes += piece.length;
      if (inPlain) one.text += piece.toString("latin1");
    };
    const server = createServer((asked, response) => {
      const one = count(asked.url);
      const { method, url: path } = asked;
      const headers = Object.fromEntries(Object.entries(asked.headers).filter(([name]) => isPassed(name)));
      const passed = request({ hostname, port, method, path, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        response.flushHeaders();
        answer.on("data", (piece: Buffer) => take(one, piece));
        answer.pipe(response);
      });
      passed.on("error", () => response.destroy());
      response.on("close", () => passed.destroy());
      asked.pipe(passed);
    });
    server.on("upgrade", (asked, socket, head) => {
      const one = count(asked.url);
      const lines = [`${asked.method} ${asked.url} HTTP/1.1`];
      for (let at = 0; at < asked.rawHeaders.length; at += 2)
        if (isPassed(asked.rawHeaders[at] ?? ""))
          lines.push(`${asked.rawHeaders[at]}: ${asked.rawHeaders[at + 1]}`);
      const passed = connect(Number(port), hostname, () => {
        passed.write(`${lines.join("\r\n")}\r\n\r\n`);
        passed.write(head);
        socket.pipe(passed).pipe(socket);
      });
      passed.on("data", (piece: Buffer) => take(one, piece));
      passed.on("error", () => socket.destroy());
      socket.on("error", () => passed.destroy());
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    // A server that listens on a port has an address with one.
    const { port: own } = server.address() as AddressInfo;
    const close = async () => {
      server.closeAllConnections();
      server.close();
    };
    return new CountingProxy({ url: `http://127.0.0.1:${own}`, carried, close });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#close();
  }
}
