import { once } from "node:events";
import { createServer, request } from "node:http";
import { type AddressInfo, connect } from "node:net";

/** What came back for one request; of a websocket both ways. */
export interface Carried {
  readonly path: string;
  bytes: number;
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

  static async start(to: string): Promise<CountingProxy> {
    const { hostname, port } = new URL(to);
    const carried: Carried[] = [];
    const count = (url = "") => {
      const one = { path: new URL(url, to).pathname, bytes: 0 };
      carried.push(one);
      return one;
    };
    const server = createServer((asked, response) => {
      const one = count(asked.url);
      const { method, url: path, headers } = asked;
      const passed = request({ hostname, port, method, path, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        response.flushHeaders();
        answer.on("data", (piece: Buffer) => {
          one.bytes += piece.length;
        });
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
        lines.push(`${asked.rawHeaders[at]}: ${asked.rawHeaders[at + 1]}`);
      const passed = connect(Number(port), hostname, () => {
        passed.write(`${lines.join("\r\n")}\r\n\r\n`);
        passed.write(head);
        socket.pipe(passed).pipe(socket);
      });
      passed.on("data", (piece) => {
        one.bytes += piece.length;
      });
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
