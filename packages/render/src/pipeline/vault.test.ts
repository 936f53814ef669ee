import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { dumpYaml } from "@capstan/model";
import { vault } from "@capstan/plugins";
import { failsWith, noSignal, startWorld } from "../test-world.ts";

const value = "hunter2-of-the-vault";

async function startVault() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    const isThere = request.url === "/v1/secret/data/web";
    response.writeHead(isThere ? 200 : 404);
    response.end(JSON.stringify(isThere ? { data: { data: { password: value } } } : { errors: [] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const at = server.address();
  const address = `http://127.0.0.1:${typeof at === "object" && at ? at.port : 0}`;
  const dispose = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { address, asked, [Symbol.asyncDispose]: dispose };
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

async function secretWorld(key: string) {
  const store = await startVault();
  const world = await startWorld({ plugins: [vault({ VAULT_ADDR: store.address, VAULT_TOKEN: "s.own" })] });
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
