import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { text } from "node:stream/consumers";
import type { Target } from "./clusters.ts";

export interface Change {
  /** Plural, namespace, name. */
  readonly key: string;
  readonly type: string;
}

interface Kind {
  readonly path: string;
  readonly plural: string;
}

interface Answer {
  readonly status: number;
  readonly body: Fields;
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;
const readFields = (value: unknown): Fields => (isFields(value) ? value : {});
const readList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Events are made and dropped by the clusters themselves, at their own times. */
const fleeting = ["events", "leases"];

/** Lists and watches every kind, and comes back after a lost connection as client-go's reflector does. */
export class EverythingWatcher {
  readonly changes: Change[] = [];
  readonly problems: string[] = [];
  readonly #target: Target;
  readonly #known = new Map<string, string>();
  readonly #open = new Set<IncomingMessage>();
  readonly #stop = new AbortController();
  readonly #agent = new Agent({ rejectUnauthorized: false, keepAlive: true });
  readonly #watches: Promise<void>[] = [];
  #kinds: readonly Kind[] = [];

  private constructor(target: Target) {
    this.#target = target;
  }

  static async open(target: Target): Promise<EverythingWatcher> {
    const watcher = new EverythingWatcher(target);
    watcher.#kinds = await watcher.#discover();
    for (const kind of watcher.#kinds) {
      const version = await watcher.#list(kind, watcher.#known);
      watcher.#watches.push(watcher.#watch(kind, version));
    }
    return watcher;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.cutConnections();
    await Promise.all(this.#watches);
    this.#agent.destroy();
  }

  cutConnections(): void {
    for (const stream of this.#open) stream.destroy();
  }

  async send(method: string, path: string, body?: object): Promise<Answer> {
    const response = await this.#request(method, path, body);
    const answered = { status: response.statusCode ?? 0, body: readFields(JSON.parse(await text(response))) };
    if (answered.status >= 300) this.problems.push(`${method} ${path}: ${JSON.stringify(answered.body)}`);
    return answered;
  }

  /** What the events told, beside what a list tells now. */
  async disagreements(): Promise<string[]> {
    const listed = new Map<string, string>();
    for (const kind of this.#kinds) await this.#list(kind, listed);
    const keys = [...new Set([...listed.keys(), ...this.#known.keys()])];
    return keys
      .filter((key) => !fleeting.includes(key.split("/")[0] ?? ""))
      .filter((key) => listed.get(key) !== this.#known.get(key))
      .map((key) => `${key}: watched ${this.#known.get(key)}, listed ${listed.get(key)}`);
  }

  async #discover(): Promise<Kind[]> {
    const { body } = await this.send("GET", "/apis");
    const groups = readList(body.groups).map(
      (group) => readFields(readFields(group).preferredVersion).groupVersion,
    );
    const kinds: Kind[] = [];
    for (const root of ["/api/v1", ...groups.map((version) => `/apis/${version}`)]) {
      const { body: list } = await this.send("GET", root);
      for (const resource of readList(list.resources).map(readFields)) {
        const plural = `${resource.name}`;
        if (readList(resource.verbs).includes("watch")) kinds.push({ plural, path: `${root}/${plural}` });
      }
    }
    return kinds;
  }

  async #list({ path, plural }: Kind, into: Map<string, string>): Promise<string> {
    const { body } = await this.send("GET", path);
    for (const item of readList(body.items)) into.set(...keyAndVersion(plural, item));
    return `${readFields(body.metadata).resourceVersion}`;
  }

  async #watch(kind: Kind, from: string): Promise<void> {
    let version = from;
    while (!this.#stop.signal.aborted) {
      const query = `watch=1&allowWatchBookmarks=true&resourceVersion=${version}&timeoutSeconds=300`;
      const response = await this.#request("GET", `${kind.path}?${query}`).catch(() => undefined);
      if (!response) continue;
      this.#open.add(response);
      try {
        for await (const line of linesOf(response)) version = this.#take(kind, line) ?? version;
      } catch (error) {
        // What cutConnections() did, as a network would.
        if (!response.destroyed) this.problems.push(`${kind.path}: ${error}`);
      }
      this.#open.delete(response);
    }
  }

  /** Gives the version to go on from. */
  #take({ plural, path }: Kind, line: string): string | undefined {
    const { type, object } = readFields(JSON.parse(line));
    if (typeof type !== "string") return undefined;
    if (type === "ERROR") this.problems.push(`${path}: ${line}`);
    const [key, version] = keyAndVersion(plural, object);
    if (type === "DELETED") this.#known.delete(key);
    else if (type !== "BOOKMARK") this.#known.set(key, version);
    if (type !== "BOOKMARK" && type !== "ERROR") this.changes.push({ key, type });
    return type === "ERROR" ? undefined : version;
  }

  async #request(method: string, path: string, body?: object): Promise<IncomingMessage> {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const headers = { authorization: `Bearer ${this.#target.token}`, "content-type": type };
    const sent = request(`${this.#target.url}${path}`, { method, headers, agent: this.#agent });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = await once(sent, "response");
    return response;
  }
}

function keyAndVersion(plural: string, object: unknown): [string, string] {
  const { namespace, name, resourceVersion } = readFields(readFields(object).metadata);
  const key = [plural, namespace, name].filter((part) => part !== undefined).join("/");
  return [key, `${resourceVersion}`];
}

/** Whole lines: what is cut off with its connection is no event. */
async function* linesOf(stream: IncomingMessage): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of stream.setEncoding("utf8")) {
    const lines = `${rest}${chunk}`.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
