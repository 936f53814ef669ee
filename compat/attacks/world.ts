import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import {
  type CapstanProcess,
  RpcClient,
  startCapstan,
  startChartServer,
  startGitServer,
} from "@capstan/testkit";
import type { ApiAnswer, ApiRequestOptions } from "@capstan/testkit/worlds";
import { fillWorld, passwords } from "./accounts.ts";
import type { AttackWorld, Mode, Who } from "./attack.ts";
import { plantCanaries } from "./canaries.ts";
import { askByRpc, type Form } from "./rpc-ask.ts";

/** Starts `up` in the given mode, with further flags, and lays out projects, accounts and canaries. */
export async function startAttackWorld(mode: Mode, flags: readonly string[] = []): Promise<AttackWorld> {
  await using opened = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "capstan-attacks-"));
  opened.defer(() => rm(dir, { recursive: true, force: true }));
  const canaries = await plantCanaries(dir);
  const git = opened.use(await startGitServer());
  const charts = opened.use(await startChartServer([{ name: "plain", version: "1.0.0" }]));
  const dataDir = await ownFolder(dir, "data", mode);
  const env = { ...(await environment(dir, mode)), CAPSTAN_TEST_CANARY: canaries.plant("the environment") };
  const pageExtensions = await ownFolder(dir, "extensions", mode);
  const user = mode.user === undefined ? {} : { uid: mode.user, gid: mode.user };
  const capstan = opened.use(
    await startCapstan({
      dataDir,
      flags: ["--no-samples", "--page-extensions", pageExtensions, ...flags],
      env,
      ...user,
    }),
  );
  canaries.plant("admin-password", (await readFile(join(dataDir, "admin-password"), "utf8")).trim());
  const { outside, proof } = canaries;
  const at = {
    outside,
    proof,
    pageExtensions,
    dataDir,
    url: capstan.url,
    gitUrl: git.url,
    chartsUrl: charts.url,
  };
  await fillWorld({ capstan, git, at, plant: canaries.plant });
  const closing = opened.move();
  return {
    mode,
    at,
    capstan,
    git,
    charts,
    ask: asker(capstan, await logIns(capstan), mode.form ?? "rest"),
    assertUnharmed: (texts) => canaries.check([...texts, capstan.output()]),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

async function ownFolder(dir: string, name: string, { user }: Mode): Promise<string> {
  const folder = join(dir, name);
  await mkdir(folder, { mode: 0o700 });
  if (user !== undefined) await chown(folder, user, user);
  return folder;
}

/** A bubblewrap that does not work stands for one that is absent: the real one lies beside sh and git. */
async function environment(dir: string, mode: Mode): Promise<Record<string, string>> {
  const home = await ownFolder(dir, "home", mode);
  const own = { HOME: home, GIT_CONFIG_NOSYSTEM: "1" };
  if (mode.hasSandbox) return own;
  const bin = join(dir, "bin");
  await mkdir(bin);
  await writeFile(join(bin, "bwrap"), "#!/bin/sh\necho this one does not work >&2\nexit 1\n");
  await chmod(join(bin, "bwrap"), 0o755);
  await chmod(bin, 0o755);
  return { ...own, PATH: `${bin}${delimiter}${process.env.PATH ?? ""}` };
}

type Tokens = Readonly<Record<Who, string | null>>;

async function logIns(capstan: CapstanProcess): Promise<Tokens> {
  const tokenOf = async (username: string, password: string): Promise<string> => {
    const answer = await send(capstan.url, "POST /api/v1/session", {
      token: null,
      body: { username, password },
    });
    const { body } = answer;
    if (typeof body === "object" && body !== null && "token" in body) return String(body.token);
    throw new Error(`${username} cannot log in: ${answer.status} ${JSON.stringify(body)}`);
  };
  const admin = (await readFile(join(capstan.dataDir, "admin-password"), "utf8")).trim();
  return {
    admin: await tokenOf("admin", admin),
    alice: await tokenOf("alice", passwords.alice),
    bob: await tokenOf("bob", passwords.bob),
    carol: await tokenOf("carol", passwords.carol),
    nobody: null,
  };
}

function asker(capstan: CapstanProcess, tokens: Tokens, form: Form): AttackWorld["ask"] {
  const client = form === "rest" ? undefined : new RpcClient(capstan.url, form);
  return async (who, line, options = {}) => {
    const given = { token: tokens[who], ...options };
    const signal = AbortSignal.timeout(requestLimitMs);
    // Headers and texts that are no JSON are HTTP's own; the admin only prepares.
    const isRest = who === "admin" || given.headers !== undefined || typeof given.body === "string";
    const answer = isRest
      ? undefined
      : client && (await askByRpc(client, { line, body: undefined, ...given, signal }));
    return answer ?? send(capstan.url, line, given);
  };
}

/** A creation waits for a render, which may take as long as its limits let it. */
const requestLimitMs = 200_000;

async function send(
  url: string,
  line: string,
  { body, headers, token }: ApiRequestOptions,
): Promise<ApiAnswer> {
  const space = line.indexOf(" ");
  const method = line.slice(0, space);
  const answer = await fetch(url + line.slice(space + 1), {
    method,
    headers: {
      // A connection that is kept may be ended by the server at the moment when the next request goes out.
      connection: "close",
      ...(method === "GET" ? {} : { "content-type": "application/json" }),
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...headers,
    },
    signal: AbortSignal.timeout(requestLimitMs),
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  const isJson = answer.headers.get("content-type")?.includes("json") ?? false;
  return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : text };
}
