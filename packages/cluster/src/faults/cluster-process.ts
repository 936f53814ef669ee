import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { Agent, request as requestHttps } from "node:https";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { isRecord } from "../types.ts";

export interface Ask {
  method?: string;
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
}

export interface Reply {
  status: number;
  text: string;
  /** The text as JSON, {} where it is none. */
  body: Record<string, unknown>;
}

/** For tests: a cluster in a process of its own, to be killed, starved and fed with nonsense. */
export class ClusterProcess implements AsyncDisposable {
  readonly port: number;
  readonly token: string;
  readonly #child: ChildProcess;
  readonly #errors: () => string;
  readonly #agent = new Agent({ keepAlive: true, rejectUnauthorized: false });

  constructor(child: ChildProcess, facts: { port: number; token: string; errors: () => string }) {
    this.#child = child;
    this.port = facts.port;
    this.token = facts.token;
    this.#errors = facts.errors;
  }

  static async start(dataDir: string): Promise<ClusterProcess> {
    const script = fileURLToPath(import.meta.resolve("./testdata/serve.ts"));
    const child = spawn(process.execPath, [script, dataDir], { stdio: ["ignore", "pipe", "pipe"] });
    let errors = "";
    child.stderr.on("data", (chunk: Buffer) => {
      errors = (errors + chunk.toString()).slice(-100_000);
    });
    for await (const line of createInterface({ input: child.stdout })) {
      const { port, token }: { port: number; token: string } = JSON.parse(line);
      return new ClusterProcess(child, { port, token, errors: () => errors });
    }
    throw new Error(`the cluster did not start: ${errors}`);
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** What it logged. */
  get errors(): string {
    return this.#errors();
  }

  get peakMegabytes(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1_024;
  }

  /** The head of an answer; rejects when the connection breaks. */
  async open({ method = "GET", path, headers = {}, body }: Ask): Promise<IncomingMessage> {
    const request = requestHttps({
      host: "127.0.0.1",
      port: this.port,
      agent: this.#agent,
      method,
      path,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body !== undefined && { "content-length": String(Buffer.byteLength(body)) }),
        ...headers,
      },
    });
    request.end(body);
    return new Promise((resolve, reject) => {
      request.once("response", resolve);
      request.on("error", reject);
    });
  }

  async ask(ask: Ask): Promise<Reply> {
    const response = await this.open(ask);
    const status = response.statusCode ?? 0;
    let text = "";
    for await (const piece of response.setEncoding("utf8")) text += piece;
    return { status, text, body: readJson(text) };
  }

  send(method: string, path: string, body?: unknown): Promise<Reply> {
    const headers = { "content-type": "application/json" };
    return this.ask({ method, path, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  }

  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    this.#agent.destroy();
    if (this.hasEnded) return;
    const exit = once(this.#child, "exit");
    this.#child.kill(signal);
    await exit;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }
}

function readJson(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
