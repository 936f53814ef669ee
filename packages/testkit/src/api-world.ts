import { join } from "node:path";
import { inspect } from "node:util";
import { createSelfMadeCertificate } from "@capstan/cluster/certificates";
import { HostCalls } from "@capstan/git-hosts";
import { createControlState } from "@capstan/kube";
import { ImagePlans } from "@capstan/planning";
import { createApiServer, prepareControlNamespace, type ServedPlace } from "@capstan/servers";
import { realClock } from "./real-clock.ts";
import { openSmallWorld, type SmallWorld, type SmallWorldOptions } from "./small-world.ts";

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed where it is JSON, else the text. */
  readonly body: unknown;
}

export interface ApiRequestOptions {
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  /** null: as somebody who is not logged in. */
  token?: string | null;
}

/** The small world with the API server in front of it, listening on a free port of the loopback interface. */
export interface ApiWorld extends AsyncDisposable {
  readonly world: SmallWorld;
  readonly url: string;
  /** Of the admin. */
  readonly token: string;
  readonly password: string;
  request(method: string, path: string, options?: ApiRequestOptions): Promise<ApiAnswer>;
  /** Metrics on a port of their own. */
  listenMetrics(address: { host: string; port: number }): Promise<{ url: string }>;
  /** All that the server has logged, as text. */
  logged(): string;
  /** Settles when all accepted webhooks are worked off. */
  idle(): Promise<void>;
}

const silent = { info: () => undefined, warn: () => undefined };
/** What is kept of a log. */
const mostLines = 10_000;
const password = "correct horse battery";
const signal = (): AbortSignal => AbortSignal.timeout(100_000);

interface ApiWorldOptions extends SmallWorldOptions {
  uiDir?: string;
  pageExtensions?: string;
  allowedHosts?: readonly string[];
  place?: ServedPlace;
}

export async function openApiWorld(options: ApiWorldOptions = {}): Promise<ApiWorld> {
  await using opened = new AsyncDisposableStack();
  const world = opened.use(await openSmallWorld(options));
  const { kube, clusters, repo, settings } = world;
  await prepareControlNamespace({
    kube,
    namespace: "argocd",
    adminPassword: password,
    clock: realClock,
    signal: signal(),
  });
  await settings.ready(signal());
  const live = opened.use(
    createControlState({ client: kube, isCompact: true, clock: realClock, log: silent }),
  );
  await Promise.all([live.ready(signal()), clusters.ownLive().ready(signal())]);
  const lines: string[] = [];
  const keep = (facts: object, message: string) => {
    if (lines.length < mostLines) lines.push(inspect([message, facts], { depth: 10 }));
  };
  const api = opened.use(
    createApiServer({
      kube,
      live,
      clusters,
      repo,
      hosts: new HostCalls(realClock),
      settings,
      scripts: world.scripts,
      images: new ImagePlans({
        kube,
        settings,
        clock: realClock,
        namespace: "argocd",
        env: {},
        live,
      }),
      clock: realClock,
      log: { info: keep, warn: keep },
      controlNamespace: "argocd",
      version: "v0.0.0-test",
      simulatedCluster: true,
      allowedHosts: options.allowedHosts ?? [],
      makeCertificate: async (names) =>
        createSelfMadeCertificate({ commonName: "capstan", names }, realClock.now()),
      ...(options.place ? { place: options.place } : {}),
      pageExtensions: options.pageExtensions,
      uiDir: options.uiDir ?? join(import.meta.dirname, "no-such-folder"),
    }),
  );
  const { url } = await api.listen({ host: "127.0.0.1", port: 0 });
  const token = await logIn(url);
  const closing = opened.move();
  return {
    world,
    url,
    token,
    password,
    request: (method, path, given = {}) => send(url + path, { method, token, ...given }),
    listenMetrics: (address) => api.listenMetrics(address),
    logged: () => lines.join("\n"),
    idle: () => api.idle(),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

async function logIn(url: string): Promise<string> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const answer = await send(`${url}/api/v1/session`, {
      method: "POST",
      token: null,
      body: { username: "admin", password },
    });
    const { body } = answer;
    if (typeof body === "object" && body !== null && "token" in body) return String(body.token);
    // The settings' watch may not have seen the Secret yet.
    await realClock.sleep(10, signal());
  }
  throw new Error("the admin cannot log in");
}

async function send(
  url: string,
  { method, body, headers, token }: ApiRequestOptions & { method: string },
): Promise<ApiAnswer> {
  const answer = await fetch(url, {
    method,
    headers: {
      ...(method === "GET" ? {} : { "content-type": "application/json" }),
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...headers,
    },
    signal: signal(),
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  const isJson = answer.headers.get("content-type")?.includes("json") ?? false;
  return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : text };
}
