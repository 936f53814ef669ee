import type { Socket } from "node:net";
import { isRecord, parseJson } from "@capstan/formats";
import { openSocket } from "../sending/open-socket.ts";
import type { NkeySeed } from "./nkey.ts";

export interface NatsServer {
  readonly host: string;
  readonly port: number;
  readonly wantsTls: boolean;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly token?: string | undefined;
  readonly seed?: NkeySeed | undefined;
}

interface Needs {
  readonly guarded: boolean;
  readonly signal: AbortSignal;
  authoritiesOf(host: string): string | undefined;
}

/** Of what a server says in one line. */
const longestLine = 2 ** 16;

/** What is needed of NATS' protocol to publish (https://docs.nats.io/reference/reference-protocols/nats-protocol). */
export class NatsConnection implements Disposable {
  #socket: Socket;
  #rest = "";

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Rejects with what the server says where it does not let us in. */
  static async open(server: NatsServer, { guarded, signal, authoritiesOf }: Needs): Promise<NatsConnection> {
    const { host, port, wantsTls } = server;
    const connection = new NatsConnection(await openSocket({ host, port, guarded, signal }));
    try {
      const info = readInfo(await connection.#line());
      const isSecret = wantsTls || info.tls_required === true;
      if (isSecret) await connection.#upgrade(host, authoritiesOf(host));
      connection.#write(`CONNECT ${JSON.stringify(helloOf(server, { info, isSecret }))}\r\nPING\r\n`);
      await connection.#pong();
      return connection;
    } catch (error) {
      connection[Symbol.dispose]();
      throw error;
    }
  }

  /** Resolves when the server has it. */
  async publish(subject: string, message: string, headers: Readonly<Record<string, string>>): Promise<void> {
    const body = Buffer.from(message);
    const names = Object.entries(headers);
    const lines = names.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    const head = names.length === 0 ? Buffer.alloc(0) : Buffer.from(`NATS/1.0\r\n${lines}\r\n`);
    const sizes = head.length === 0 ? `PUB ${subject}` : `HPUB ${subject} ${head.length}`;
    const line = Buffer.from(`${sizes} ${head.length + body.length}\r\n`);
    this.#write(Buffer.concat([line, head, body, Buffer.from("\r\nPING\r\n")]));
    await this.#pong();
  }

  #write(data: string | Buffer): void {
    this.#socket.write(data);
  }

  async #pong(): Promise<void> {
    for (;;) {
      const line = await this.#line();
      if (line.startsWith("-ERR")) throw new Error(`NATS answers ${line.slice("-ERR".length).trim()}`);
      if (line === "PING") this.#write("PONG\r\n");
      if (line === "PONG") return;
    }
  }

  async #line(): Promise<string> {
    for (;;) {
      const end = this.#rest.indexOf("\r\n");
      if (end >= 0) {
        const line = this.#rest.slice(0, end);
        this.#rest = this.#rest.slice(end + 2);
        return line;
      }
      if (this.#rest.length > longestLine) throw new Error("NATS answers with a line that has no end");
      this.#rest += await this.#chunk();
    }
  }

  #chunk(): Promise<string> {
    const socket = this.#socket;
    return new Promise((resolve, reject) => {
      const done = () => {
        socket.off("data", onData).off("error", onError).off("close", onClose);
        socket.pause();
      };
      const onData = (chunk: Buffer) => {
        done();
        resolve(chunk.toString());
      };
      const onError = (error: Error) => {
        done();
        reject(error);
      };
      const onClose = () => {
        done();
        reject(new Error("NATS ended the connection"));
      };
      if (socket.destroyed) return onClose();
      socket.on("data", onData).on("error", onError).on("close", onClose);
      socket.resume();
    });
  }

  async #upgrade(host: string, ca: string | undefined): Promise<void> {
    const { connect } = await import("node:tls");
    const { isIP } = await import("node:net");
    const name = isIP(host) === 0 ? { servername: host } : {};
    const secured = connect({ socket: this.#socket, host, ...name, ...(ca === undefined ? {} : { ca }) });
    await new Promise<void>((resolve, reject) => {
      secured.once("secureConnect", resolve);
      secured.once("error", reject);
      secured.once("close", () => reject(new Error("NATS ended the connection")));
    });
    secured.on("error", () => undefined);
    this.#socket = secured;
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }
}

function readInfo(line: string): Record<string, unknown> {
  const value: unknown = line.startsWith("INFO ") ? parseJson(line.slice("INFO ".length)) : undefined;
  if (isRecord(value)) return value;
  throw new Error("the server does not speak as NATS does");
}

function helloOf(
  { username: user, password: pass, token, seed }: NatsServer,
  { info, isSecret }: { info: Record<string, unknown>; isSecret: boolean },
) {
  const nonce = typeof info.nonce === "string" ? info.nonce : "";
  return {
    verbose: false,
    pedantic: false,
    tls_required: isSecret,
    lang: "javascript",
    version: "1",
    name: "capstan",
    protocol: 1,
    headers: true,
    no_responders: true,
    echo: false,
    user,
    pass,
    auth_token: token,
    ...(seed ? { nkey: seed.publicKey, sig: seed.sign(nonce) } : {}),
  };
}
