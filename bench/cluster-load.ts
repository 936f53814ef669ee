/** What bench/cluster.ts does to a cluster: plain requests, answers not parsed, so that the client costs little. */
import { type ClusterConfig, httpTransport, type KubeResponse } from "@capstan/kube";
import type { Manifest } from "@capstan/model";
import { realClock } from "@capstan/testkit";
import { manifestsOf } from "./sample-applications.ts";

export interface ClusterLoad extends AsyncDisposable {
  create(): Promise<void>;
  /** Lists everything, `limit` a page; 0 means all at once. */
  list(limit: number): Promise<number>;
  apply(count: number): Promise<void>;
  /** Changes `changes` ConfigMaps, and waits until every watcher has seen all of that. */
  fanOut(watchers: number, changes: number): Promise<void>;
}

interface Placed {
  path: string;
  name: string;
  body: string;
}

const inFlight = 16;
const perNamespace = 400;
const limitMs = 15 * 60_000;
const collections: Readonly<Record<string, string>> = {
  ConfigMap: "/api/v1/configmaps",
  ServiceAccount: "/api/v1/serviceaccounts",
  Service: "/api/v1/services",
  Deployment: "/apis/apps/v1/deployments",
};
const namespaceOf = (index: number): string => `bench-${Math.floor(index / perNamespace)}`;

/** Four kinds in turn, as the sample applications have them. */
function objectsOf(count: number): Placed[] {
  const applications = Array.from({ length: Math.ceil(count / 4) }, (_, index) => index);
  return applications.flatMap((index) =>
    manifestsOf(index, "first")
      .split("\n---\n")
      .map((body) => {
        const { kind, metadata }: Manifest = JSON.parse(body);
        const [, root = "", resource = ""] = /^(.*)\/(\w+)$/.exec(collections[kind ?? ""] ?? "") ?? [];
        return {
          path: `${root}/namespaces/${namespaceOf(index)}/${resource}`,
          name: metadata.name ?? "",
          body,
        };
      }),
  );
}

export function clusterLoad(config: ClusterConfig, count: number): ClusterLoad {
  const transport = httpTransport({ ...config, disableCompression: true }, { clock: realClock });
  const objects = objectsOf(count);
  const signal = AbortSignal.timeout(limitMs);
  const ask = async (
    method: string,
    url: string,
    content?: { type: string; body: string },
  ): Promise<string> => {
    const headers = content ? { "content-type": content.type } : {};
    const body = content ? { body: content.body } : {};
    return whole(await transport({ method, url, headers, signal, ...body }), `${method} ${url}`);
  };
  const patch = (url: string, type: string, body: string) =>
    ask("PATCH", url, { type: `application/${type}`, body });
  return {
    async create() {
      const namespaces = [...new Set(objects.map((_, index) => namespaceOf(Math.floor(index / 4))))];
      await inParallel(namespaces, (name) =>
        ask("POST", "/api/v1/namespaces", { type: "application/json", body: namespaceText(name) }),
      );
      await inParallel(objects, ({ path, body }) => ask("POST", path, { type: "application/json", body }));
    },
    async list(limit) {
      let characters = 0;
      for (const path of Object.values(collections))
        for (let next: string | undefined = ""; next !== undefined; ) {
          const text = await ask("GET", `${path}?limit=${limit}&continue=${next}`);
          characters += text.length;
          next = continueToken(text);
        }
      return characters;
    },
    async apply(some) {
      const query = "fieldManager=bench-apply&force=true";
      await inParallel(objects.slice(0, some), ({ path, name, body }) =>
        patch(`${path}/${name}?${query}`, "apply-patch+yaml", body),
      );
    },
    async fanOut(watchers, changes) {
      const { resourceVersion } = JSON.parse(await ask("GET", "/api/v1/configmaps?limit=1")).metadata;
      const url = `/api/v1/configmaps?watch=true&resourceVersion=${resourceVersion}`;
      const done = new AbortController();
      const watching = Array.from({ length: watchers }, async () => {
        const headers = {};
        const answer = await transport({ method: "GET", url, headers, signal: done.signal });
        await untilSeen(answer, changes);
      });
      const maps = objects.filter(({ body }) => body.includes('"kind":"ConfigMap"')).slice(0, changes);
      const body = JSON.stringify({ data: { changed: `${performance.now()}` } });
      await inParallel(maps, ({ path, name }) => patch(`${path}/${name}`, "merge-patch+json", body));
      await Promise.all(watching);
      done.abort();
    },
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}

async function inParallel<T>(items: readonly T[], run: (item: T) => Promise<unknown>): Promise<void> {
  const waiting = items.values();
  const workers = Array.from({ length: inFlight }, async () => {
    for (const item of waiting) await run(item);
  });
  await Promise.all(workers);
}

async function whole({ status, body }: KubeResponse, what: string): Promise<string> {
  let text = "";
  if (typeof body === "string") text = body;
  else for await (const piece of body) text += piece;
  if (status >= 300) throw new Error(`${what} answered ${status}: ${text.slice(0, 300)}`);
  return text;
}

/** Both clusters write a list's metadata before its items. */
function continueToken(text: string): string | undefined {
  return /"continue":"([^"]+)"/.exec(text.slice(0, 1_000))?.[1];
}

async function untilSeen({ status, body }: KubeResponse, changes: number): Promise<void> {
  if (status !== 200 || typeof body === "string") throw new Error(`a watch answered ${status}`);
  let lines = 0;
  for await (const piece of body) {
    for (let at = piece.indexOf("\n"); at >= 0; at = piece.indexOf("\n", at + 1)) lines += 1;
    if (lines >= changes) return;
  }
  throw new Error(`a watch ended after ${lines} of ${changes} changes`);
}

const namespaceText = (name: string): string =>
  JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
