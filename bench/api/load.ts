/** Asks an API server as a browser would, and counts what comes over the wire. */
import { Agent, type IncomingMessage, request } from "node:http";
import { type CostedServer, cpuOf } from "./peers.ts";

/** Milliseconds and bytes of each round, and the server's CPU time for one. */
export interface Measured {
  readonly ms: readonly number[];
  readonly bytes: number;
  readonly cpuMs: number;
}

const limitMs = 120_000;

function open(server: CostedServer, path: string, headers: object): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const token = server.token ? { authorization: `Bearer ${server.token}` } : {};
  const signal = AbortSignal.timeout(limitMs);
  const asked = request(server.url + path, {
    headers: { ...token, ...headers },
    agent: server.agent,
    signal,
  });
  asked.on("response", resolve).on("error", reject).end();
  return promise;
}

/** Bytes of an answer as sent; 200 and 304 are answers. */
async function bytesOf(answer: IncomingMessage, path: string): Promise<number> {
  let bytes = 0;
  for await (const piece of answer) bytes += piece.length;
  const { statusCode = 0 } = answer;
  if (statusCode !== 200 && statusCode !== 304) throw new Error(`${path} answered ${statusCode}`);
  return bytes;
}

/** One request after the other. */
export async function measureGet(
  server: CostedServer,
  { path, headers = {}, rounds }: { path: string; headers?: object; rounds: number },
): Promise<Measured> {
  for (let warm = 0; warm < 3; warm += 1) await bytesOf(await open(server, path, headers), path);
  const ms: number[] = [];
  let bytes = 0;
  const before = cpuOf(server);
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now();
    bytes = await bytesOf(await open(server, path, headers), path);
    ms.push(performance.now() - started);
  }
  return { ms, bytes, cpuMs: (cpuOf(server) - before) / rounds };
}

/** The value of a header of an answer. */
export async function headerOf(server: CostedServer, path: string, name: string): Promise<string> {
  const answer = await open(server, path, {});
  await bytesOf(answer, path);
  return String(answer.headers[name] ?? "");
}

export async function readList(
  server: CostedServer,
  path: string,
): Promise<{ metadata: { resourceVersion?: string }; items: unknown[] | null }> {
  const answer = await open(server, path, {});
  let text = "";
  for await (const piece of answer.setEncoding("utf8")) text += piece;
  return JSON.parse(text);
}

export interface Watcher extends AsyncDisposable {
  /** Resolves once so many messages have come, counted from the start. */
  untilMessages(count: number): Promise<void>;
  /** When the first line with a text came. */
  untilText(text: string, withinMs?: number): Promise<number>;
  readonly bytes: () => number;
}

/** A stream of one line a message. */
export async function watch(server: CostedServer, path: string): Promise<Watcher> {
  const own = new Agent({ keepAlive: false });
  const opening = open({ ...server, agent: own }, path, {});
  let [lines, bytes, rest] = [0, 0, ""];
  const waiting = new Set<() => void>();
  const seen = new Map<string, number>();
  const wanted = new Set<string>();
  let stream: IncomingMessage | undefined;
  // A server may send nothing, no head either, until there is something to say.
  const reading = opening.then((answer) => {
    stream = answer;
    answer.setEncoding("utf8").on("error", () => undefined);
    answer.on("data", (piece: string) => {
      bytes += piece.length;
      const parts = (rest + piece).split("\n");
      rest = parts.pop() ?? "";
      lines += parts.filter((line) => line.length > 1).length;
      for (const text of wanted)
        if (parts.some((line) => line.includes(text))) {
          wanted.delete(text);
          seen.set(text, performance.now());
        }
      for (const wake of waiting) wake();
    });
  });
  reading.catch(() => undefined);
  const until = async (isDone: () => boolean, withinMs = limitMs): Promise<void> => {
    const deadline = performance.now() + withinMs;
    while (!isDone()) {
      if (performance.now() > deadline) throw new Error(`${path}: nothing came in ${withinMs} ms`);
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add(resolve);
      const timer = setTimeout(resolve, 500);
      await promise;
      clearTimeout(timer);
      waiting.delete(resolve);
    }
  };
  return {
    untilMessages: (count) => until(() => lines >= count),
    async untilText(text, withinMs) {
      wanted.add(text);
      await until(() => seen.has(text), withinMs);
      return seen.get(text) ?? 0;
    },
    bytes: () => bytes,
    async [Symbol.asyncDispose]() {
      stream?.destroy();
      own.destroy();
    },
  };
}
