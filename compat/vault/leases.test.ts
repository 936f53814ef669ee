import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Clock } from "@capstan/flow";
import { dumpYaml } from "@capstan/formats/yaml";
import { vault as vaultStage } from "@capstan/plugin-vault";
import { createRepoServer } from "@capstan/render";
import {
  createGitRepository,
  eventually,
  lackingRealVault,
  type RealVault,
  realClock,
  startRealVault,
} from "@capstan/testkit";
import { builtInPlugins } from "@capstan/testkit/worlds";
import { asRoot } from "./fill.ts";

const leaseSeconds = 600;

/** What the server's engine asks of a RabbitMQ to make a user and to take it back. */
async function startRabbitManagement(t: TestContext) {
  const users = { made: 0, takenBack: 0 };
  const server = createServer(({ method, url = "" }, response) => {
    if (url.startsWith("/api/users/") && method === "PUT") users.made += 1;
    if (url.startsWith("/api/users/") && method === "DELETE") users.takenBack += 1;
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const at = server.address();
  return { uri: `http://127.0.0.1:${typeof at === "object" && at ? at.port : 0}`, users };
}

async function mountRabbit({ ask }: RealVault, connection_uri: string): Promise<void> {
  const connection = { connection_uri, username: "root", password: "root", verify_connection: false };
  await ask("POST sys/mounts/rabbitmq", { type: "rabbitmq" });
  await ask("POST rabbitmq/config/connection", connection);
  await ask("POST rabbitmq/config/lease", { ttl: leaseSeconds, max_ttl: leaseSeconds });
  await ask("POST rabbitmq/roles/web", { vhosts: '{"/":{"write":".*","read":".*"}}' });
}

const annotations = {
  "avp.kubernetes.io/path": "rabbitmq/creds/web",
  "avp.kubernetes.io/kv-version": "1",
};
const secret = (more: Record<string, string> = {}) =>
  dumpYaml({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "web", annotations },
    stringData: { login: "<username>:<password>", ...more },
  });
const pipeline = dumpYaml({
  apiVersion: "capstan.dev/v1alpha1",
  kind: "Pipeline",
  metadata: { name: "secrets" },
  spec: { stages: [{ plugin: "directory" }, { plugin: "vault" }] },
});

/** A repo server with the stage, a repository, and a clock that can be put forward. */
async function openWorld(t: TestContext, vault: RealVault) {
  const dir = await mkdtemp(join(tmpdir(), "capstan-leases-"));
  t.after(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  const repository = await createGitRepository({ "web/capstan.yaml": pipeline, "web/secret.yaml": secret() });
  const ahead = { ms: 0 };
  const clock: Clock = { now: () => realClock.now() + ahead.ms, sleep: realClock.sleep };
  const logged: object[] = [];
  const line = (fields: object) => void logged.push(fields);
  const log = { debug: line, info: line, warn: line, error: line };
  const env = { ...process.env, GIT_CONFIG_NOSYSTEM: "1" };
  const plugins = [...builtInPlugins, vaultStage(asRoot(vault))];
  const server = await createRepoServer({
    ...{ dataDir: join(dir, "data"), clock, log, env, plugins },
    secretStores: "*",
  });
  t.after(async () => {
    await server[Symbol.asyncDispose]();
    await repository[Symbol.asyncDispose]();
  });
  const render = async (more: object = {}) => {
    const request = {
      repository: { url: repository.url },
      source: { repoURL: repository.url, targetRevision: "HEAD", path: "web" },
      ...{ appName: "web", namespace: "shop", project: "default", sourceRepos: ["*"] },
      ...{ kubeVersion: "1.34.0", apiVersions: [], noRevisionCache: true, ...more },
    };
    const { manifests, validForMs = 0 } = await server.generateManifests(
      request,
      AbortSignal.timeout(60_000),
    );
    return { login: String(Object(manifests[0]?.manifest.stringData).login), validForMs };
  };
  return { repository, ahead, logged, render };
}

test("what the server makes at each request is asked for once a lease, and the render done again before it ends", {
  skip: lackingRealVault(),
}, async (t) => {
  await using vault = await startRealVault();
  const { uri, users } = await startRabbitManagement(t);
  await mountRabbit(vault, uri);
  const { repository, ahead, logged, render } = await openWorld(t, vault);
  const first = await render();
  assert.match(first.login, /^token-\S+:\S{20,}$/);
  assert.ok(first.validForMs > 500_000 && first.validForMs <= 540_000, "nine tenths of ten minutes");
  await repository.commit({ "web/secret.yaml": secret({ more: "1" }) });
  assert.equal((await render()).login, first.login, "another commit, the same lease");
  assert.equal(users.made, 1);
  ahead.ms = 541_000;
  const second = await render();
  assert.notEqual(second.login, first.login);
  assert.equal(users.made, 2);
  const hard = await render({ noCache: true });
  assert.notEqual(hard.login, second.login);
  assert.equal(users.made, 3);
  assert.ok(!JSON.stringify(logged).includes(first.login.split(":")[1] ?? ""));
  await vault.ask("PUT sys/leases/revoke-prefix/rabbitmq/creds/web");
  await eventually(() => users.takenBack === 3 || undefined, {
    signal: AbortSignal.timeout(30_000),
    describe: () => `${users.takenBack} users were taken back`,
  });
});
