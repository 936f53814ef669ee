import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKubeClient, httpTransport, type KubeClient, openKubeconfig } from "@capstan/kube";
import { startProcess, untilServing } from "./child-process.ts";
import { eventually, realClock } from "./real-clock.ts";

const program = join(import.meta.dirname, "..", "..", "..", "bin", "capstan.js");
const startLimitMs = 100_000;
const answerLimitMs = 60_000;

export interface CapstanOptions {
  /** Kept after the end when given; a temporary one otherwise. */
  dataDir?: string;
  flags?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** bin/capstan.js of another checkout. */
  program?: string;
  /** Runs as another user than the test: for root only; `dataDir` must be his. */
  uid?: number;
  gid?: number;
}

export interface CapstanStatus {
  url: string;
  kubeconfig: string;
  pid: number;
  readyMs: number;
  firstHealthyMs?: number;
}

/** The product itself as a process of its own, on free ports. */
export interface CapstanProcess extends AsyncDisposable {
  readonly dataDir: string;
  readonly url: string;
  readonly status: CapstanStatus;
  readonly kube: KubeClient;
  /** Everything that it printed so far. */
  output(): string;
  /** What one process writes reaches another some time later. */
  untilPrinted(pattern: RegExp): Promise<void>;
  readStatus(): Promise<CapstanStatus>;
  /** A request to the API as admin; the answer parsed where it is JSON. */
  api(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }>;
  /** Of the admin's session. */
  token(): Promise<string>;
  kill(signal: "SIGKILL" | "SIGTERM"): Promise<void>;
}

async function readStatusFile(dataDir: string): Promise<CapstanStatus | undefined> {
  const text = await readFile(join(dataDir, "status.json"), "utf8").catch(() => undefined);
  return text === undefined ? undefined : JSON.parse(text);
}

async function logIn(url: string, dataDir: string): Promise<string> {
  const password = (await readFile(join(dataDir, "admin-password"), "utf8")).trim();
  const answer = await fetch(`${url}/api/v1/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username: "admin", password }),
  });
  const { token } = readToken(await answer.json());
  if (typeof token !== "string") throw new Error(`login answered ${answer.status}`);
  return token;
}

function readToken(body: unknown): { token?: unknown } {
  return typeof body === "object" && body !== null ? body : {};
}

function apiOf(url: string, dataDir: string): CapstanProcess["api"] {
  let token: Promise<string> | undefined;
  return async (method, path, body) => {
    token ??= logIn(url, dataDir);
    const headers = { authorization: `Bearer ${await token}`, "content-type": "application/json" };
    const answer = await fetch(`${url}${path}`, {
      method,
      headers,
      signal: AbortSignal.timeout(answerLimitMs),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = answer.headers.get("content-type")?.includes("json") ?? false;
    return { status: answer.status, body: text === "" ? undefined : isJson ? JSON.parse(text) : text };
  };
}

/** Starts `capstan up` and waits until it serves. */
export async function startCapstan(options: CapstanOptions = {}): Promise<CapstanProcess> {
  await using opened = new AsyncDisposableStack();
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), "capstan-data-")));
  if (options.dataDir === undefined) opened.defer(() => rm(dataDir, { recursive: true, force: true }));
  const flags = ["up", "--data", dataDir, "--port", "0", "--cluster-port", "0", ...(options.flags ?? [])];
  const user = options.uid === undefined ? {} : { uid: options.uid, gid: options.gid ?? options.uid };
  const env = { ...process.env, ...options.env };
  const child = opened.use(
    startProcess(process.execPath, [options.program ?? program, ...flags], { env, ...user }),
  );
  const status = await untilServing("capstan up", child, async () => {
    const found = await readStatusFile(dataDir);
    return found?.pid === child.pid ? found : undefined;
  });
  const { config } = await openKubeconfig(status.kubeconfig);
  const transport = httpTransport(config, { clock: realClock, env: process.env });
  opened.use(transport);
  const kube = createKubeClient({ transport, userAgent: "capstan-testkit", clock: realClock });
  const closing = opened.move();
  return {
    dataDir,
    url: status.url,
    status,
    kube,
    output: child.output,
    untilPrinted: async (pattern) => {
      await eventually(() => pattern.test(child.output()) || undefined, {
        signal: AbortSignal.timeout(startLimitMs),
        describe: () => `${pattern} is not in:\n${child.output()}`,
      });
    },
    readStatus: async () => (await readStatusFile(dataDir)) ?? status,
    api: apiOf(status.url, dataDir),
    token: () => logIn(status.url, dataDir),
    kill: child.kill,
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}
