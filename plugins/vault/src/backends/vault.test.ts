import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isRecord } from "@capstan/formats";
import { TokenCache } from "@capstan/secret-services";
import { Settings } from "@capstan/secret-services/settings";
import type { SecretQuery } from "../replace-placeholders.ts";
import { SecretReader } from "../secret-reader.ts";
import { awsBackend } from "./aws.ts";
import type { BackendNeeds } from "./backend.ts";
import { LeaseCache } from "./leases.ts";
import { vaultBackend } from "./vault.ts";

const clock = {
  now: () => Date.now(),
  sleep: async (ms: number, signal: AbortSignal) => {
    await sleep(ms, undefined, { signal });
  },
};
// From when the file is loaded: others may be played before it in this process.
const signal = AbortSignal.timeout(600_000);
const noOpenssl = spawnSync("openssl", ["version"]).status === 0 ? false : "openssl is not installed";

/** Stands still until it is moved. */
class TestClock {
  #now = 0;
  readonly #sleepers = new Set<{ until: number; ms: number; wake: () => void }>();

  now(): number {
    return this.#now;
  }

  sleep(ms: number, until: AbortSignal): Promise<void> {
    return new Promise((wake, reject) => {
      const sleeper = { until: this.#now + ms, ms, wake };
      this.#sleepers.add(sleeper);
      until.addEventListener("abort", () => {
        this.#sleepers.delete(sleeper);
        reject(until.reason);
      });
    });
  }

  pass(ms: number): void {
    this.#now += ms;
    for (const sleeper of this.#sleepers) {
      if (sleeper.until > this.#now) continue;
      this.#sleepers.delete(sleeper);
      sleeper.wake();
    }
  }

  /** Until somebody sleeps so long. */
  async slept(ms: number): Promise<void> {
    while (![...this.#sleepers].some((one) => one.ms === ms)) await sleep(1, undefined, { signal });
  }
}

interface Asked {
  what: string;
  token: string;
  namespace: string;
  body: unknown;
}

/** Vault's HTTP API as its published description has it: two key-value engines and four ways in. */
async function startVault() {
  const asked: Asked[] = [];
  const tokens = new Set(["s.root"]);
  const state = {
    ...{ sealed: false, renewable: false, tokens, logins: 0, renewals: 0, lease: 3600 },
    ...{ made: 0, secretLease: 600 },
    /** Answered first, each once. */
    troubles: [] as [number, string][],
  };
  const versioned = (version: number, data: object | null, more: object = {}) => ({
    data,
    metadata: { created_time: "2026-01-01T00:00:00Z", deletion_time: "", destroyed: false, version, ...more },
  });
  const secrets: Readonly<Record<string, unknown>> = {
    "secret/data/web": versioned(2, { password: "v2" }),
    "secret/data/web?version=1": versioned(1, { password: "v1" }),
    "kv/web": { password: "one" },
    "kv/with%20blank": { password: "blank" },
    "auth/token/lookup-self": { ttl: 0 },
  };
  /** What is not there, with the reason that OpenBao 2 gives. */
  const absent: Readonly<Record<string, object>> = {
    "secret/data/gone": { data: versioned(1, null, { deletion_time: "2026-01-01T00:00:00Z" }) },
    "secret/data/burnt": { data: versioned(3, null, { destroyed: true }) },
    "secret/web": {
      data: null,
      warnings: ["Invalid path for a versioned K/V secrets engine. See the API docs for the appropriate …"],
    },
    "secret/data": {
      data: null,
      warnings: ["Non-listing operations on the root of a K/V v2 mount are not supported."],
    },
    "nowhere/web": { errors: ['no handler for route "nowhere/web". route entry not found.'] },
  };
  const logins: Readonly<Record<string, (body: Record<string, unknown>) => boolean>> = {
    "auth/approle/login": ({ role_id, secret_id }) => role_id === "r" && secret_id === "s",
    "auth/github/login": ({ token }) => token === "g",
    "auth/people/login/ada": ({ password }) => password === "p",
    "auth/kubernetes/login": ({ role, jwt }) => role === "web" && jwt === "jwt",
    "auth/cluster-b/login": ({ role, jwt }) => role === "web" && jwt === "jwt",
  };
  const answer = (path: string, body: unknown, token: string): [number, unknown] => {
    if (state.sealed) return [503, { errors: ["Vault is sealed"] }];
    const trouble = state.troubles.shift();
    if (trouble) return [trouble[0], { errors: [trouble[1]] }];
    const login = logins[path];
    if (login) {
      if (!isRecord(body) || !login(body)) return [400, { errors: ["invalid role or secret ID"] }];
      state.logins += 1;
      const own = `s.${state.logins}`;
      state.tokens.add(own);
      const auth = { client_token: own, lease_duration: state.lease, renewable: state.renewable };
      return [200, { auth }];
    }
    if (!state.tokens.has(token)) return [403, { errors: ["permission denied"] }];
    if (path === "auth/token/renew-self") {
      state.renewals += 1;
      return [200, { auth: { client_token: token, lease_duration: state.lease, renewable: true } }];
    }
    if (path === "database/creds/web") {
      state.made += 1;
      const lease = { lease_id: `${path}/${state.made}`, lease_duration: state.secretLease, renewable: true };
      return [200, { ...lease, data: { password: `made ${state.made}` } }];
    }
    const isBare = token === "s.bare" && path === "auth/token/lookup-self";
    if (path.startsWith("denied/") || isBare)
      return [403, { errors: ["1 error occurred:\n\t* permission denied\n\n"] }];
    const found = { request_id: "r", lease_id: "", renewable: false, lease_duration: 0, data: secrets[path] };
    return path in secrets ? [200, found] : [404, absent[path] ?? { errors: [] }];
  };
  const server = createServer((request, response) => {
    void readAll(request).then((text) => {
      const path = (request.url ?? "").replace("/v1/", "");
      const body: unknown = text === "" ? undefined : JSON.parse(text);
      const header = (name: string) => String(request.headers[name] ?? "");
      const token = header("x-vault-token");
      asked.push({ what: `${request.method} ${path}`, token, namespace: header("x-vault-namespace"), body });
      if (path === "slow/x") return;
      const [status, content] = answer(path, body, token);
      response.writeHead(status).end(JSON.stringify(content));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const at = server.address();
  const address = `http://127.0.0.1:${typeof at === "object" && at ? at.port : 0}`;
  const dispose = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { address, asked, state, [Symbol.asyncDispose]: dispose };
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function reader(
  env: Record<string, string>,
  tokens = new TokenCache(clock),
  more: Partial<BackendNeeds> = {},
) {
  const backend = await vaultBackend(new Settings({}, env), { clock, tokens, ...more });
  const secrets = new SecretReader(backend, signal);
  const read = (path: string, more: Partial<SecretQuery> = {}) =>
    secrets.read({ path, key: "password", isWhole: false, ...more });
  return { read };
}

test("both versions of the engine, versions of a secret, and what is not there", async () => {
  await using vault = await startVault();
  const { read } = await reader({
    VAULT_ADDR: vault.address,
    VAULT_TOKEN: "s.root\n",
    VAULT_NAMESPACE: "team",
  });
  assert.equal(await read("secret/data/web"), "v2");
  assert.equal(await read("secret/data/web", { version: "1" }), "v1");
  assert.equal(await read("kv/web", { kvVersion: "1" }), "one");
  assert.equal(await read("kv/with blank", { kvVersion: "1" }), "blank");
  assert.equal(await read("secret/data/web", { key: "none" }), undefined);
  await assert.rejects(read("secret/data/none"), /there is no such secret/);
  await assert.rejects(read("secret/data/gone"), /version 1 was deleted on 2026-01-01T00:00:00Z/);
  await assert.rejects(read("secret/data/burnt"), /version 3 is destroyed/);
  await assert.rejects(read("secret/web"), /the engine keeps versions: write "\/data\/" into the path/);
  await assert.rejects(read("secret/data"), /there is no secret: Non-listing operations on the root/);
  await assert.rejects(read("nowhere/web"), /Vault answers 404: no handler for route "nowhere\/web"/);
  await assert.rejects(read("kv/web"), /no secret of version 2. Write "\/data\/"/);
  await assert.rejects(read("secret/data/web", { version: "new" }), /"new" is no number/);
  assert.ok(vault.asked.every(({ namespace }) => namespace === "team"));
});

test("the version of the engine is set for all, and a wrong setting is told with what there is", async () => {
  await using vault = await startVault();
  const env = { VAULT_ADDR: vault.address, VAULT_TOKEN: "s.root" };
  const one = await reader({ ...env, AVP_KV_VERSION: "1" });
  assert.equal(await one.read("kv/web"), "one");
  assert.equal(await one.read("secret/data/web", { kvVersion: "2" }), "v2");
  const three = await reader({ ...env, AVP_KV_VERSION: "3" });
  await assert.rejects(three.read("kv/web"), /AVP_KV_VERSION "3" is unknown: use 1 or 2/);
  await assert.rejects(
    reader({ ...env, AVP_AUTH_TYPE: "iam" }),
    /AVP_AUTH_TYPE "iam" is unknown: use token, approle, github, userpass or k8s/,
  );
});

test("TLS: an authority of one's own, another name, or none of it", { skip: noOpenssl }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-vault-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=vault.example"];
  const names = ["-addext", "subjectAltName=DNS:vault.example"];
  execFileSync("openssl", [...made, ...names, "-keyout", key, "-out", cert], { stdio: "ignore" });
  const own = { key: await readFile(key), cert: await readFile(cert) };
  const asking = { ...own, ca: own.cert, requestCert: true, rejectUnauthorized: false };
  const server = createTlsServer(asking, (request, response) => {
    const isKnown = "authorized" in request.socket && request.socket.authorized;
    response.end(JSON.stringify({ data: { data: { password: isKnown ? "known" : "safe" } } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const at = server.address();
  const VAULT_ADDR = `https://127.0.0.1:${typeof at === "object" && at ? at.port : 0}`;
  const env = { VAULT_ADDR, VAULT_TOKEN: "s.root" };
  try {
    const named = { ...env, VAULT_CACERT: cert, VAULT_TLS_SERVER_NAME: "vault.example" };
    assert.equal(await (await reader(named)).read("secret/data/web"), "safe");
    assert.equal(await (await reader({ ...env, VAULT_SKIP_VERIFY: "true" })).read("secret/data/web"), "safe");
    const bytes = { ...named, VAULT_CACERT: "", VAULT_CACERT_BYTES: own.cert.toString() };
    assert.equal(await (await reader(bytes)).read("secret/data/web"), "safe");
    const client = { ...bytes, VAULT_CLIENT_CERT: cert, VAULT_CLIENT_KEY: key };
    assert.equal(await (await reader(client)).read("secret/data/web"), "known");
    await assert.rejects(reader({ ...env, VAULT_CLIENT_CERT: cert }), /VAULT_CLIENT_KEY go together/);
    await assert.rejects((await reader(env)).read("secret/data/web"), /cannot be reached: .*certificate/);
    await assert.rejects((await reader({ ...env, VAULT_CACERT: cert })).read("secret/data/web"), /IP: 127/);
  } finally {
    server.close();
    await rm(folder, { recursive: true });
  }
});

test("500 placeholders of one path cost one request", async () => {
  await using vault = await startVault();
  const { read } = await reader({ VAULT_ADDR: vault.address, VAULT_TOKEN: "s.root" });
  await Promise.all(Array.from({ length: 500 }, () => read("secret/data/web")));
  assert.deepEqual(
    vault.asked.map(({ what }) => what),
    ["GET secret/data/web"],
  );
});

test("every way in, at its own mount", async () => {
  await using vault = await startVault();
  const folder = await mkdtemp(join(tmpdir(), "capstan-vault-"));
  const file = join(folder, "token");
  await writeFile(file, "jwt\n");
  const ways: readonly Record<string, string>[] = [
    { AVP_AUTH_TYPE: "approle", AVP_ROLE_ID: "r", AVP_SECRET_ID: "s" },
    { AVP_AUTH_TYPE: "github", AVP_GITHUB_TOKEN: "g" },
    { AVP_AUTH_TYPE: "userpass", AVP_USERNAME: "ada", AVP_PASSWORD: "p", AVP_MOUNT_PATH: "auth/people" },
    { AVP_AUTH_TYPE: "k8s", AVP_K8S_ROLE: "web", AVP_K8S_TOKEN_PATH: file },
    {
      ...{ AVP_AUTH_TYPE: "k8s", AVP_K8S_ROLE: "web", AVP_K8S_TOKEN_PATH: file },
      ...{ AVP_K8S_MOUNT_PATH: "auth/cluster-b", AVP_MOUNT_PATH: "auth/people" },
    },
  ];
  try {
    for (const way of ways) {
      const { read } = await reader({ VAULT_ADDR: vault.address, ...way });
      assert.equal(await read("secret/data/web"), "v2");
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("OpenBao and Vault Enterprise: the namespace goes with the login too", async () => {
  await using vault = await startVault();
  const way = { AVP_AUTH_TYPE: "approle", AVP_ROLE_ID: "r", AVP_SECRET_ID: "s" };
  const { read } = await reader({
    AVP_TYPE: "vault",
    VAULT_ADDR: vault.address,
    VAULT_NAMESPACE: "a/b",
    ...way,
  });
  assert.equal(await read("secret/data/web"), "v2");
  assert.deepEqual(
    vault.asked.map(({ what, namespace }) => [what, namespace]),
    [
      ["POST auth/approle/login", "a/b"],
      ["GET secret/data/web", "a/b"],
    ],
  );
  assert.deepEqual(vault.asked[0]?.body, { role_id: "r", secret_id: "s" });
});

test("one login serves all renders of one identity until its lease ends, and no other identity", async () => {
  await using vault = await startVault();
  const tokens = new TokenCache(clock);
  const env = { VAULT_ADDR: vault.address, AVP_AUTH_TYPE: "approle", AVP_ROLE_ID: "r", AVP_SECRET_ID: "s" };
  for (let renders = 0; renders < 3; renders += 1) await (await reader(env, tokens)).read("secret/data/web");
  assert.equal(vault.state.logins, 1);
  const wrong = await reader({ ...env, AVP_SECRET_ID: "other" }, tokens);
  await assert.rejects(
    wrong.read("secret/data/web"),
    /Vault's login at auth\/approle: Vault answers 400: invalid role or secret ID/,
  );
});

test("a token of a short life serves for three quarters of it", async () => {
  await using vault = await startVault();
  vault.state.lease = 4;
  const timed = new TestClock();
  const tokens = new TokenCache(timed);
  const env = { VAULT_ADDR: vault.address, AVP_AUTH_TYPE: "approle", AVP_ROLE_ID: "r", AVP_SECRET_ID: "s" };
  const { read } = await reader(env, tokens, { clock: timed });
  await Promise.all(
    Array.from({ length: 20 }, (_, at) => read(`kv/web?${at}`, { kvVersion: "1" }).catch(String)),
  );
  assert.equal(vault.state.logins, 1);
  timed.pass(2_900);
  await read("secret/data/web");
  assert.equal(vault.state.logins, 1);
  timed.pass(200);
  await read("secret/data/web?1").catch(String);
  assert.equal(vault.state.logins, 2);
});

test("many renders at once log in once, and one that is given up takes no other with it", async () => {
  await using vault = await startVault();
  const tokens = new TokenCache(clock);
  const env = { VAULT_ADDR: vault.address, AVP_AUTH_TYPE: "approle", AVP_ROLE_ID: "r", AVP_SECRET_ID: "s" };
  const backend = await vaultBackend(new Settings({}, env), { clock, tokens });
  const givenUp = new AbortController();
  const first = backend.read({ path: "secret/data/web" }, givenUp.signal);
  const others = Array.from({ length: 20 }, async () => (await reader(env, tokens)).read("secret/data/web"));
  givenUp.abort(new Error("given up"));
  await assert.rejects(first, /given up/);
  assert.deepEqual(new Set(await Promise.all(others)), new Set(["v2"]));
  assert.ok(vault.state.logins <= 2);
});

test("a token that may be renewed is, before its end; one that is gone is got anew", async () => {
  await using vault = await startVault();
  const timed = new TestClock();
  const tokens = new TokenCache(timed);
  vault.state.renewable = true;
  const env = { VAULT_ADDR: vault.address, AVP_AUTH_TYPE: "approle", AVP_ROLE_ID: "r", AVP_SECRET_ID: "s" };
  const render = async () => (await reader(env, tokens, { clock: timed })).read("secret/data/web");
  await render();
  timed.pass(3595_000);
  await render();
  assert.deepEqual([vault.state.logins, vault.state.renewals], [1, 1]);
  timed.pass(3595_000);
  vault.state.tokens.delete("s.1");
  assert.equal(await render(), "v2");
  assert.deepEqual([vault.state.logins, vault.state.renewals], [2, 1]);
});

test("what is leased is asked for once a lease, unless all shall be asked again", async () => {
  await using vault = await startVault();
  const timed = new TestClock();
  const [tokens, leases] = [new TokenCache(timed), new LeaseCache(timed)];
  const ends: number[] = [];
  const render = async (refresh: "normal" | "hard" = "normal", token = "s.root") => {
    const more = { clock: timed, leases, refresh, onLease: (until: number) => void ends.push(until) };
    const { read } = await reader({ VAULT_ADDR: vault.address, VAULT_TOKEN: token }, tokens, more);
    return read("database/creds/web", { kvVersion: "1" });
  };
  assert.equal(await render(), "made 1");
  timed.pass(500_000);
  assert.equal(await render(), "made 1");
  assert.deepEqual(new Set(ends), new Set([540_000]), "nine tenths of ten minutes");
  timed.pass(41_000);
  assert.equal(await render(), "made 2");
  assert.equal(await render("hard"), "made 3");
  assert.equal(await render(), "made 3");
  vault.state.tokens.add("s.other");
  assert.equal(await render("normal", "s.other"), "made 4", "leases belong to a token");
});

test("what is leased ends with its token", async () => {
  await using vault = await startVault();
  const timed = new TestClock();
  vault.state.lease = 120;
  const ends: number[] = [];
  const env = { VAULT_ADDR: vault.address, AVP_AUTH_TYPE: "approle", AVP_ROLE_ID: "r", AVP_SECRET_ID: "s" };
  const more = { clock: timed, onLease: (until: number) => void ends.push(until) };
  await (await reader(env, new TokenCache(timed), more)).read("database/creds/web", { kvVersion: "1" });
  assert.deepEqual(ends, [105_000]);
});

test("a Vault that does not answer is waited for half a minute", async () => {
  await using vault = await startVault();
  const timed = new TestClock();
  const env = { VAULT_ADDR: vault.address, VAULT_TOKEN: "s.root" };
  const { read } = await reader(env, new TokenCache(timed), { clock: timed });
  const slow = read("slow/x", { kvVersion: "1" });
  slow.catch(() => undefined);
  await timed.slept(30_000);
  timed.pass(30_000);
  await assert.rejects(slow, /127\.0\.0\.1:\d+ gave no answer within 30 s/);
});

test("a token that was revoked is got anew, once", async () => {
  await using vault = await startVault();
  const tokens = new TokenCache(clock);
  const env = { VAULT_ADDR: vault.address, AVP_AUTH_TYPE: "approle", AVP_ROLE_ID: "r", AVP_SECRET_ID: "s" };
  await (await reader(env, tokens)).read("secret/data/web");
  vault.state.tokens.clear();
  assert.equal(await (await reader(env, tokens)).read("secret/data/web"), "v2");
  assert.equal(vault.state.logins, 2);
});

test("many that were refused log in again once together", async () => {
  await using vault = await startVault();
  const tokens = new TokenCache(clock);
  const env = { VAULT_ADDR: vault.address, AVP_AUTH_TYPE: "approle", AVP_ROLE_ID: "r", AVP_SECRET_ID: "s" };
  const many = async (prefix: string) => {
    const { read } = await reader(env, tokens);
    return Promise.allSettled(Array.from({ length: 50 }, (_, at) => read(`${prefix}/data/${at}`)));
  };
  await many("secret");
  vault.state.tokens.clear();
  await many("secret");
  assert.equal(vault.state.logins, 2);
  const refused = await many("denied");
  assert.ok(refused.every(({ status }) => status === "rejected"));
  assert.equal(vault.state.logins, 3, "what a role may do now reaches only tokens that are got now");
});

test("what passes in a moment is asked again, twice at most, and a sealed Vault is not", async () => {
  await using vault = await startVault();
  const timed = new TestClock();
  const render = async () => {
    const env = { VAULT_ADDR: vault.address, VAULT_TOKEN: "s.root" };
    const { read } = await reader(env, new TokenCache(timed), { clock: timed });
    const reading = read("secret/data/web");
    reading.catch(() => undefined);
    return reading;
  };
  const busy: [number, string] = [429, "rate limit quota exceeded"];
  const former: [number, string] = [307, "of one that stands by, to the leader that it knows"];
  vault.state.troubles.push(busy, former);
  const late = render();
  await timed.slept(1000);
  timed.pass(1000);
  await timed.slept(1500);
  timed.pass(1500);
  assert.equal(await late, "v2");
  vault.state.troubles.push(busy, busy, busy);
  const never = render();
  never.catch(() => undefined);
  await timed.slept(1000);
  timed.pass(1000);
  await timed.slept(1500);
  timed.pass(1500);
  await assert.rejects(never, /Vault answers 429: rate limit quota exceeded/);
  const before = vault.asked.length;
  vault.state.sealed = true;
  await assert.rejects(render(), /^Error: Vault is sealed$/);
  assert.equal(vault.asked.length, before + 1);
});

test("a token that may not look itself up is not said to be unknown", async () => {
  await using vault = await startVault();
  vault.state.tokens.add("s.bare");
  const { read } = await reader({ VAULT_ADDR: vault.address, VAULT_TOKEN: "s.bare" });
  await assert.rejects(
    read("denied/data/x"),
    /^Error: permission denied \(1 error occurred: \* permission denied/,
  );
});

test("what Vault refuses is said in its words, without the token", async () => {
  await using vault = await startVault();
  const env = { VAULT_ADDR: vault.address, VAULT_TOKEN: "s.root" };
  await assert.rejects((await reader(env)).read("denied/data/x"), /permission denied/);
  await assert.rejects(
    (await reader({ ...env, VAULT_TOKEN: "s.expired" })).read("secret/data/web"),
    (error: Error) => {
      assert.match(
        error.message,
        /^permission denied: Vault does not know the token, it has expired or was revoked$/,
      );
      return true;
    },
  );
  vault.state.sealed = true;
  await assert.rejects((await reader(env)).read("secret/data/web"), /Vault is sealed/);
  await assert.rejects(reader({ VAULT_ADDR: vault.address }), /VAULT_TOKEN is not set/);
  const nobody = { ...env, VAULT_ADDR: "http://127.0.0.1:1" };
  await assert.rejects((await reader(nobody)).read("x"), /127\.0\.0\.1:1 cannot be reached: .*ECONNREFUSED/);
});

test("no credential of the operator goes to a store that an application names", async () => {
  const settings = new Settings(
    { VAULT_ADDR: "https://elsewhere.example" },
    { VAULT_TOKEN: "s.root", AVP_TYPE: "vault" },
  );
  await assert.rejects(
    vaultBackend(settings, { clock, tokens: new TokenCache(clock) }),
    /VAULT_TOKEN is not set by the application, which sets VAULT_ADDR/,
  );
  assert.equal(settings.get("AVP_TYPE"), "vault");
  const k8s = new Settings(
    { VAULT_ADDR: "https://elsewhere.example" },
    { AVP_AUTH_TYPE: "k8s", AVP_K8S_ROLE: "web" },
  );
  const kept = vaultBackend(k8s, { clock, tokens: new TokenCache(clock) });
  await assert.rejects(kept, /service account's token does not go where the application's VAULT_ADDR says/);
  const VAULT_ADDR = "https://vault.example";
  const same = new Settings({ VAULT_ADDR }, { VAULT_ADDR, VAULT_TOKEN: "s.root" });
  assert.equal(same.get("VAULT_TOKEN"), "s.root", "the operator's own store may be named");
  const file = new Settings({ AVP_K8S_TOKEN_PATH: "/etc/passwd" }, {});
  assert.throws(() => file.get("AVP_K8S_TOKEN_PATH"), /an application cannot set it/);
});

test("an application cannot widen what the operator allows, or trust another in the place of his store", async () => {
  const own = { VAULT_SKIP_VERIFY: "true", AVP_PATH_VALIDATION: ".*", AVP_TYPE: "awssecretsmanager" };
  const process = { VAULT_ADDR: "https://vault.example", AVP_PATH_VALIDATION: "^team-a/" };
  const settings = new Settings(own, process);
  assert.throws(() => settings.get("VAULT_SKIP_VERIFY"), /about the server's store/);
  assert.deepEqual(settings.both("AVP_PATH_VALIDATION"), [".*", "^team-a/"]);
  const elsewhere = new Settings({ ...own, VAULT_ADDR: "https://elsewhere.example" }, process);
  assert.equal(elsewhere.get("VAULT_SKIP_VERIFY"), "true");
  const credentials = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "top" };
  const aws = await awsBackend(new Settings({ AWS_REGION: "x.evil.example/" }, credentials), { clock });
  await assert.rejects(aws.read({ path: "web" }, signal), /"x\.evil\.example\/" is no region/);
});
