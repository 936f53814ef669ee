import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import type { Clock } from "@capstan/flow";
import { dumpYaml } from "@capstan/formats/yaml";
import { failsWith, noSignal, StandingClock, startWorld } from "@capstan/testkit/render-world";
import type { ManifestResponse } from "@capstan/wire";
import { vault } from "./vault.ts";

const value = "hunter2-of-the-vault";

/** Vault's KV 2 at secret/, and a database engine that makes a login for each request. */
async function startVault() {
  const asked: string[] = [];
  const state = { password: value, leaseSeconds: 120, made: 0 };
  const answers: Readonly<Record<string, () => unknown>> = {
    "/v1/secret/data/web": () => ({ data: { data: { password: state.password } } }),
    "/v1/database/creds/web": () => {
      state.made += 1;
      const lease = { lease_id: `database/creds/web/${state.made}`, lease_duration: state.leaseSeconds };
      return { ...lease, data: { password: `made ${state.made}` } };
    },
  };
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    const answer = answers[request.url ?? ""];
    response.writeHead(answer ? 200 : 404);
    response.end(JSON.stringify(answer ? answer() : { errors: [] }));
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

const pipeline = dumpYaml({
  apiVersion: "capstan.dev/v1alpha1",
  kind: "Pipeline",
  metadata: { name: "secrets" },
  spec: { stages: [{ plugin: "directory" }, { plugin: "vault" }] },
});

const secretOf = (key: string) =>
  dumpYaml({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "web", annotations: { "avp.kubernetes.io/path": "secret/data/web" } },
    stringData: Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`key${at}`, `<${key}>`])),
  });

async function secretWorld(key: string, clock?: Clock) {
  const store = await startVault();
  const plugins = [vault({ VAULT_ADDR: store.address, VAULT_TOKEN: "s.own" })];
  const world = await startWorld({ plugins, ...(clock ? { clock } : {}) });
  world.repository.commit({ "web/capstan.yaml": pipeline, "web/secret.yaml": secretOf(key) });
  const dispose = async () => {
    await world[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  };
  return { ...world, store, [Symbol.asyncDispose]: dispose };
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

test("a manifest's placeholders get values in one request, and the values rest nowhere", async () => {
  await using world = await secretWorld("password");
  const { manifests } = await world.render({ path: "web" });
  const [secret] = manifests;
  assert.deepEqual(new Set(Object.values(Object(secret?.manifest.stringData))), new Set([value]));
  assert.deepEqual(world.store.asked, ["/v1/secret/data/web"]);
  const shown = await world.server.explainRender(world.request({ path: "web" }), noSignal);
  assert.doesNotMatch(JSON.stringify(shown), new RegExp(value));
  assert.doesNotMatch(JSON.stringify(world.log.lines), new RegExp(value));
  for (const file of filesBelow(world.folder)) assert.ok(!readFileSync(file).includes(value), file);
});

test("a placeholder without a value is named with its key, path, document and stage", async () => {
  await using world = await secretWorld("none");
  await assert.rejects(
    world.render({ path: "web" }),
    failsWith(
      { code: "PLUGIN_FAILED", stage: "vault" },
      /Secret web \(web\/secret\.yaml, document 1\): none at secret\/data\/web: there is no value/,
    ),
  );
});

const valueIn = (answer: ManifestResponse) => Object(answer.manifests[0]?.manifest.stringData).key0;

test("secrets are kept for ten minutes: a soft refresh asks nobody until then, a hard one always", async () => {
  const clock = new StandingClock();
  await using world = await secretWorld("password", clock);
  const { store, render } = world;
  assert.equal(valueIn(await render({ path: "web" })), value);
  store.state.password = "changed in the vault";
  clock.pass(599_000);
  const soft = await render({ path: "web" });
  assert.deepEqual([valueIn(soft), soft.cache], [value, "hit"]);
  assert.equal(store.asked.length, 1);
  clock.pass(1_000);
  const late = await render({ path: "web" });
  assert.deepEqual([valueIn(late), late.cache], ["changed in the vault", "miss"], "without a commit");
  assert.equal(late.validForMs, 600_000);
  store.state.password = "changed again";
  assert.equal(valueIn(await render({ path: "web" }, { noCache: true })), "changed again");
  assert.equal(store.asked.length, 3);
});

test("a later stage's change does not make a secret be kept for longer", async () => {
  const clock = new StandingClock();
  await using world = await secretWorld("password", clock);
  await world.render({ path: "web" });
  clock.pass(300_000);
  world.repository.commit({ "web/capstan.yaml": pipeline.replace("name: secrets", "name: others") });
  const second = await world.render({ path: "web" }, { noRevisionCache: true });
  assert.equal(second.validForMs, 300_000);
  assert.equal(world.store.asked.length, 1);
});

test("a render is done again when a lease in it ends, and is given the same lease until then", async () => {
  const clock = new StandingClock();
  await using world = await secretWorld("password", clock);
  const { render, store } = world;
  const annotations = {
    "avp.kubernetes.io/path": "database/creds/web",
    "avp.kubernetes.io/kv-version": "1",
  };
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "web", annotations } };
  world.repository.commit({ "web/secret.yaml": dumpYaml({ ...secret, stringData: { key0: "<password>" } }) });
  const first = await render({ path: "web" });
  assert.equal(valueIn(first), "made 1");
  assert.equal(first.validForMs, 108_000, "nine tenths of two minutes");
  clock.pass(60_000);
  const other = { ...secret, stringData: { key0: "<password>", more: "1" } };
  world.repository.commit({ "web/secret.yaml": dumpYaml(other) });
  assert.equal(valueIn(await render({ path: "web" }, { noRevisionCache: true })), "made 1");
  clock.pass(48_000);
  assert.equal(valueIn(await render({ path: "web" })), "made 2");
  assert.equal(store.state.made, 2);
  store.state.leaseSeconds = 1;
  const brief = await render({ path: "web" }, { noCache: true });
  assert.equal(brief.validForMs, 10_000, "not all the time");
});
