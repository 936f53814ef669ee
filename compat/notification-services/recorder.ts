/**
 * One listener for whatever a service of notifications asks: in plain text, or over TLS by CONNECT, under any name. It
 * keeps each request and answers as it is told.
 */
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { createAuthority, createServerCertificate } from "@capstan/cluster/certificates";
import { startMailServer } from "./mail-server.ts";

export interface Recorded {
  readonly method: string;
  /** With the host, where that is none of the recorder's own. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is JSON. Default "{}". */
  readonly body?: unknown;
}

/** By "METHOD path"; of a list each is given once, and the last one again and again. */
export type Script = Readonly<Record<string, ScriptedAnswer | readonly ScriptedAnswer[]>>;

/** Names that services reach without being told where they are. */
const names = [
  "127.0.0.1",
  "api.github.com",
  "api.pagerduty.com",
  "api.pushover.net",
  "api.telegram.org",
  "events.pagerduty.com",
  "localhost",
];

/** What a client adds by itself, and what says nothing but who it is. */
const ownHeaders = new Set([
  "accept-encoding",
  "amz-sdk-invocation-id",
  "amz-sdk-request",
  "connection",
  "content-length",
  "host",
  "transfer-encoding",
  "user-agent",
  "x-amz-user-agent",
  "x-amzn-query-mode",
]);

export class Recorder implements AsyncDisposable {
  readonly #stops: (() => void)[] = [];
  readonly #given = new Map<string, number>();
  #script: Script = {};
  #recorded: Recorded[] = [];
  address = "";
  /** Of the server of SMTP. */
  mailPort = 0;
  authority = "";
  /** PEM, of an App of GitHub. */
  readonly privateKey = generateKeyPairSync("rsa", { modulusLength: 2048 })
    .privateKey.export({ format: "pem", type: "pkcs1" })
    .toString();

  static async start(): Promise<Recorder> {
    const recorder = new Recorder();
    const authority = createAuthority("notifications", Date.now());
    const subject = { commonName: "services", names };
    const { certificate, key } = createServerCertificate(authority, subject, Date.now());
    const answer: RequestListener = (request, response) => void recorder.#answer(request, response);
    const tls = createTlsServer({ cert: certificate, key }, answer);
    const plain = createServer(answer);
    plain.on("connect", (_, socket) => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      tls.emit("connection", socket);
    });
    plain.listen(0, "127.0.0.1");
    await once(plain, "listening");
    const at = plain.address();
    recorder.address = `http://127.0.0.1:${typeof at === "object" && at ? at.port : 0}`;
    recorder.authority = authority.certificate;
    const mail = await startMailServer({ cert: certificate, key }, (letter) => recorder.add(letter));
    recorder.mailPort = mail.port;
    recorder.#stops.push(() => {
      mail.stop();
      for (const server of [plain, tls]) {
        server.closeAllConnections();
        server.close();
      }
    });
    return recorder;
  }

  play(script: Script): void {
    this.#script = script;
    this.#given.clear();
    this.#recorded = [];
  }

  /** What was asked since `play`. */
  take(): readonly Recorded[] {
    return this.#recorded;
  }

  add(recorded: Recorded): void {
    this.#recorded.push(recorded);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = "", url = "" } = request;
    const host = request.headers.host ?? "";
    const where = `http://${host}` === this.address ? sorted(url) : `${host}${sorted(url)}`;
    const headers = Object.entries(request.headers)
      .filter(([name]) => !ownHeaders.has(name))
      .map(([name, value]) => [name, String(value)]);
    const body = readBody(Buffer.concat(chunks).toString(), request.headers["content-type"] ?? "");
    this.add({ method, path: where, headers: Object.fromEntries(headers), body });
    const {
      status = 200,
      headers: told = {},
      body: said = {},
    } = this.#next(`${method} ${where.split("?")[0]}`);
    const text = typeof said === "string" ? said : JSON.stringify(said);
    response.writeHead(status, { "content-type": "application/json", ...told }).end(text);
  }

  #next(asked: string): ScriptedAnswer {
    const found = [this.#script[asked] ?? {}].flat();
    const at = this.#given.get(asked) ?? 0;
    this.#given.set(asked, at + 1);
    return found[Math.min(at, found.length - 1)] ?? {};
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const stop of this.#stops) stop();
  }
}

/** In whichever order a query's parts were written. */
function sorted(url: string): string {
  const [path = "", query] = url.split("?");
  return query === undefined ? path : `${path}?${query.split("&").sort().join("&")}`;
}

/** So that the order of keys and fields makes no difference; JSON within a form too. */
function readBody(text: string, type: string): unknown {
  if (type.startsWith("application/x-www-form-urlencoded"))
    return Object.fromEntries([...new URLSearchParams(text)].map(([name, value]) => [name, readJson(value)]));
  return readJson(text);
}

function readJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
