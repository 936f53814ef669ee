import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type Clock, systemClock } from "@capstan/flow";
import { parseJson } from "@capstan/formats";
import { type EmbeddedCluster, startCluster } from "../start-cluster.ts";
import { type ApiResponse, isRecord } from "../types.ts";

export interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
  body: Record<string, unknown>;
}

interface Sending {
  body?: unknown;
  headers?: Record<string, string>;
}

/** A cluster of its own for one test, asked without a socket. */
export class TestCluster {
  readonly cluster: EmbeddedCluster;
  readonly #signal: AbortSignal;

  constructor(cluster: EmbeddedCluster, signal: AbortSignal) {
    this.cluster = cluster;
    this.#signal = signal;
  }

  static async start(t: TestContext, dataDir?: string, clock: Clock = systemClock): Promise<TestCluster> {
    const folder = dataDir ?? temporaryFolder(t);
    const cluster = await startCluster({ dataDir: folder, podReadyDelayMs: 0, clock });
    const stop = new AbortController();
    t.after(async () => {
      stop.abort();
      await cluster.close();
    });
    return new TestCluster(cluster, stop.signal);
  }

  send(method: string, url: string, { body, headers = {} }: Sending = {}): Promise<ApiResponse> {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const type = body === undefined ? {} : { "content-type": "application/json" };
    return this.cluster.handle({
      method,
      url,
      headers: { "user-agent": "test/1", ...type, ...headers },
      signal: this.#signal,
      ...(text !== undefined && { body: text }),
    });
  }

  async ask(method: string, url: string, sending: Sending = {}): Promise<Answer> {
    const response = await this.send(method, url, sending);
    const { status, headers, body } = response;
    if (typeof body !== "string") throw new Error(`${method} ${url} answers with a stream`);
    const isJson = headers["content-type"]?.includes("json") ?? false;
    const parsed = isJson ? parseJson(body) : {};
    return { status, headers, text: body, body: isRecord(parsed) ? parsed : {} };
  }

  get(url: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.ask("GET", url, { headers });
  }

  async create(url: string, body: unknown): Promise<Answer> {
    const answer = await this.ask("POST", url, { body });
    if (answer.status !== 201) throw new Error(`POST ${url}: ${answer.text}`);
    return answer;
  }

  patch(url: string, type: "json" | "merge" | "strategic" | "apply", body: unknown): Promise<Answer> {
    const media = {
      json: "application/json-patch+json",
      merge: "application/merge-patch+json",
      strategic: "application/strategic-merge-patch+json",
      apply: "application/apply-patch+yaml",
    }[type];
    return this.ask("PATCH", url, { body, headers: { "content-type": media } });
  }

  /** Asks until the answer fits; the number of tries is bounded, the time is not asserted. */
  async until(url: string, fits: (answer: Answer) => boolean): Promise<Answer> {
    for (let tries = 0; tries < 500; tries += 1) {
      const answer = await this.get(url);
      if (fits(answer)) return answer;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`${url} never answered as expected`);
  }

  async watch(url: string, headers: Record<string, string> = {}): Promise<WatchReader> {
    const response = await this.send("GET", url, { headers });
    if (typeof response.body === "string") throw new Error(`GET ${url} answers at once: ${response.body}`);
    return new WatchReader(response.body[Symbol.asyncIterator]());
  }
}

/** Gone after the test; the hooks of a test run in the order they were set, so closing tolerates its absence. */
export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "capstan-cluster-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface Seen {
  type: string;
  object: Record<string, unknown>;
}

/** Reads a watch line by line. */
export class WatchReader {
  readonly #pieces: AsyncIterator<string>;
  #text = "";

  constructor(pieces: AsyncIterator<string>) {
    this.#pieces = pieces;
  }

  async next(): Promise<Seen | undefined> {
    for (;;) {
      const end = this.#text.indexOf("\n");
      if (end >= 0) {
        const line: unknown = JSON.parse(this.#text.slice(0, end));
        this.#text = this.#text.slice(end + 1);
        if (!isRecord(line) || !isRecord(line.object)) throw new Error("not a watch event");
        return { type: String(line.type), object: line.object };
      }
      const piece = await this.#pieces.next();
      if (piece.done) return undefined;
      this.#text += piece.value;
    }
  }

  async take(count: number): Promise<string[]> {
    const seen: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const event = await this.next();
      if (event === undefined) break;
      seen.push(`${event.type} ${at(event.object, "metadata", "name")}`);
    }
    return seen;
  }

  async end(): Promise<void> {
    await this.#pieces.return?.();
  }
}

export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (found, key) => (isRecord(found) ? found[key] : Array.isArray(found) ? found[Number(key)] : undefined),
    value,
  );
}

export function namesOf({ body }: Answer): unknown[] {
  return Array.isArray(body.items) ? body.items.map((item) => at(item, "metadata", "name")) : [];
}
