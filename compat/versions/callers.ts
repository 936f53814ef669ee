import { once } from "node:events";
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { isRecord } from "@capstan/formats";
import type { GitRepository, RpcClient } from "@capstan/testkit";
import { configMapText, eventually } from "@capstan/testkit";
import { streamsProtocol } from "@capstan/wire";
import { WebSocket } from "ws";

/** Somebody who asks again and again. */
export interface Caller {
  readonly name: string;
  /** How often it was answered. */
  count: number;
  readonly failures: string[];
}

export interface Place {
  /** Of the Service, over HTTP/1. */
  readonly url: string;
  readonly token: string;
}

const [pauseMs, callMs] = [100, 60_000];
/** google.golang.org/grpc/codes. */
const unavailable = 14;

export class Callers implements AsyncDisposable {
  readonly all: Caller[] = [];
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>[] = [];

  /** Calls until all stop; a call's error is noted. */
  start(name: string, call: (caller: Caller) => Promise<unknown>): void {
    const caller: Caller = { name, count: 0, failures: [] };
    this.all.push(caller);
    const run = async (): Promise<void> => {
      while (!this.#stopping.signal.aborted) {
        try {
          await call(caller);
          caller.count += 1;
        } catch (error) {
          if (!this.#stopping.signal.aborted) caller.failures.push(textOf(error));
        }
        await sleep(pauseMs);
      }
    };
    this.#running.push(run());
  }

  /** Aborted when they stop: streams end with it. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Until each of the first so many has been answered once more. */
  async untilAnswered(first: number): Promise<void> {
    const asking = this.all.slice(0, first);
    const before = asking.map(({ count, failures }) => count + failures.length);
    await eventually(
      () =>
        asking.every(({ count, failures }, at) => count + failures.length > (before[at] ?? 0)) || undefined,
      { signal: AbortSignal.timeout(callMs), describe: () => `not answered: ${JSON.stringify(asking)}` },
    );
  }

  /** Stops them. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }
}

/** As gRPC's clients do: what the server had not taken yet is sent again. */
export async function orAgain<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!/REFUSED_STREAM/.test(textOf(error))) throw error;
    return call();
  }
}

function textOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? ` (${String(error.cause)})` : "";
  return `${new Date().toISOString()} ${String(error)}${cause}`;
}

export type Rest = (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>;

export function restOf({ url, token }: Place): Rest {
  return async (method, path, body) => {
    const answer = await fetch(`${url}/api/v1/${path}`, {
      method,
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(callMs),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  };
}

/** A commit, and what the repo servers make of it: nothing is known of it yet. */
export function renderer(rest: Rest, repository: GitRepository, app: string) {
  let commits = 0;
  return async () => {
    commits += 1;
    const value = `render-${commits}`;
    const revision = await repository.commit({ "a/map.yaml": configMapText("map", value) });
    const { manifests } = await rest("GET", `applications/${app}/manifests?revision=${revision}`);
    if (!JSON.stringify(manifests).includes(value)) throw new Error(`another render: ${manifests}`);
  };
}

export function syncer(rest: Rest, app: string) {
  return async () => {
    // Operations of one second look alike, also the first that Capstan began itself.
    await sleep(1_000);
    const former = startedAt(await rest("GET", `applications/${app}`));
    await rest("POST", `applications/${app}/sync`, {});
    await eventually(
      async () => {
        const found = await rest("GET", `applications/${app}`);
        const { phase, message } = operationOf(found);
        if (phase === "Failed" || phase === "Error")
          throw new Error(`the sync ended as ${phase}: ${message}`);
        return (startedAt(found) !== former && phase === "Succeeded") || undefined;
      },
      { signal: AbortSignal.timeout(callMs), describe: () => "the sync does not end" },
    );
  };
}

function operationOf({ status }: Record<string, unknown>): Record<string, unknown> {
  const state = isRecord(status) ? status.operationState : undefined;
  return isRecord(state) ? state : {};
}

const startedAt = (app: Record<string, unknown>): string => String(operationOf(app).startedAt ?? "");

/** A login whose body takes longer to arrive than a server that stops goes on being called. */
export function slowLogin({ url }: Place, password: string) {
  const agent = new Agent({ keepAlive: true });
  const text = JSON.stringify({ username: "admin", password });
  return async () => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
    const asked = request(`${url}/api/v1/session`, { method: "POST", headers, agent });
    const answered = once(asked, "response");
    answered.catch(() => undefined); // awaited below
    for (const half of [text.slice(0, 10), text.slice(10)]) {
      asked.write(half);
      await Promise.race([answered, sleep(3_000)]);
    }
    asked.end();
    const [response] = await answered;
    response.resume();
    await once(response, "end");
    if (response.statusCode !== 200) throw new Error(`a slow login: ${response.statusCode}`);
  };
}

/** Where watchers note what they have seen of the counter that an annotation of an application is. */
export type Seen = (watcher: string, count: number) => void;

export const counter = "example.com/count";

const countIn = (json: string): number | undefined => {
  const found = new RegExp(`"${counter}":"(\\d+)"`).exec(json);
  return found?.[1] === undefined ? undefined : Number(found[1]);
};

/** Watches by lines of JSON; ends well where the server ends it. */
export function restWatcher({ url, token }: Place, seen: Seen, stopping: AbortSignal) {
  return async ({ name }: Caller) => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${url}/api/v1/stream/applications`, { headers, signal: stopping });
    if (!answer.ok || answer.body === null) throw new Error(`a watch: ${answer.status}`);
    let rest = "";
    for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + piece).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) note(line, name, seen);
    }
  };
}

function note(text: string, watcher: string, seen: Seen): void {
  const count = countIn(text);
  if (count !== undefined) seen(watcher, count);
}

/** Watches as argocd does: asks again where the server was UNAVAILABLE. */
export function rpcWatcher(
  { client, token }: { client: RpcClient; token: string },
  seen: Seen,
  signal: AbortSignal,
) {
  const method = "application.ApplicationService/Watch";
  return async ({ name }: Caller) => {
    try {
      for await (const event of client.ask({ method, request: {}, token, signal }))
        note(JSON.stringify(event), name, seen);
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === unavailable) return;
      throw error;
    }
    throw new Error("a watch ended as if there were no more to come");
  };
}

/** Watches as the page does, over one websocket. */
export function pageWatcher({ url, token }: Place, seen: Seen, stopping: AbortSignal) {
  return async ({ name }: Caller) => {
    const socket = new WebSocket(`${url.replace("http", "ws")}/api/v1/streams`, [streamsProtocol], {
      headers: { cookie: `argocd.token=${token}` },
    });
    const leave = () => socket.close();
    stopping.addEventListener("abort", leave, { once: true });
    socket.on("message", (data) => note(String(data), name, seen));
    const closed = once(socket, "close");
    await once(socket, "open");
    socket.send(JSON.stringify({ open: 1, url: "/api/v1/stream/applications" }));
    const [code] = await closed;
    stopping.removeEventListener("abort", leave);
    if (code !== 1001) throw new Error(`a page's connection ended with ${code}`);
  };
}
