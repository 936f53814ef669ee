import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Manifest } from "@capstan/model";
import { inProcessPlugin, type Plugin } from "@capstan/plugin-kit";
import { noSignal, realClock, startWorld } from "@capstan/testkit/render-world";

const password = "correct-horse-battery";
const encoded = Buffer.from(password).toString("base64");
const secret: Manifest = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "login" },
  data: { password: encoded },
};
const configMap: Manifest = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "settings", annotations: { url: `https://ada:${password}@db` } },
  data: { colour: "green" },
};

/** Of somebody else, as its identity says, and slow enough to be worth a file. */
function theirs(made: readonly Manifest[], more: Partial<Plugin> = {}): Plugin {
  return inProcessPlugin({
    name: "theirs",
    identity: "one",
    async generate() {
      await realClock.sleep(30, noSignal);
      return { manifests: made.map((manifest) => ({ manifest })), commands: [] };
    },
    ...more,
  });
}

/** Every file below a folder that holds the text. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file, "latin1").includes(text));
}

async function worldOf(plugins: readonly Plugin[], capstanYaml = "") {
  const world = await startWorld({ plugins });
  world.repository.commit({
    "app/x": "",
    ...(capstanYaml === "" ? {} : { "app/capstan.yaml": capstanYaml }),
  });
  return world;
}

const named = { path: "app", plugin: { name: "theirs" } };

test("a Secret of a plugin that does not say it is sensitive: nothing on disk, kept for a time, told once", async () => {
  await using world = await worldOf([theirs([secret, configMap])]);
  const { notes, validForMs, manifests } = await world.render(named);
  assert.deepEqual(
    notes?.map(({ reason }) => reason),
    ["SecretsNotDeclared"],
  );
  assert.match(
    notes?.[0]?.message ?? "",
    /plugin theirs made Secret login with data .*spec\.sensitive: true/,
  );
  assert.ok(validForMs !== undefined && validForMs <= 600_000, "it is made anew after a time");
  assert.deepEqual(manifests[1]?.secretPaths, [["metadata", "annotations", "url"]]);
  const again = await world.render(named, { noCache: true });
  assert.deepEqual([again.notes, again.cache], [undefined, "miss"]);
  await world.server[Symbol.asyncDispose]();
  assert.deepEqual(filesWith(world.dataDir, password), []);
  assert.deepEqual(filesWith(world.dataDir, encoded), []);
  assert.deepEqual(readdirSync(join(world.dataDir, "cache")), []);
});

test("what such a Secret held is masked where stages are shown, and the rest is not", async () => {
  await using world = await worldOf([theirs([secret, configMap])]);
  const { stages } = await world.server.explainRender(world.request(named), noSignal);
  assert.equal(stages[0]?.sensitive, true);
  const shown = stages[0]?.manifests[1];
  assert.match(shown?.metadata.annotations?.url ?? "", /^\+{8} \([0-9a-f]{8}\)$/);
  assert.deepEqual(shown?.data, { colour: "green" });
});

test("a later stage that takes a Secret's value out of it leaves nothing on disk either", async () => {
  const moves = inProcessPlugin({
    name: "moves",
    async transform() {
      await realClock.sleep(30, noSignal);
      return { manifests: [{ manifest: { ...configMap, data: { password } } }], commands: [] };
    },
  });
  const stages = "spec: {stages: [{plugin: theirs}, {plugin: moves}]}";
  const yaml = `apiVersion: capstan.dev/v1alpha1\nkind: Pipeline\nmetadata: {name: chain}\n${stages}\n`;
  await using world = await worldOf([theirs([secret]), moves], yaml);
  const { manifests } = await world.render({ path: "app" });
  assert.deepEqual(manifests[0]?.secretPaths?.map((path) => path.join(".")).sort(), [
    "data.password",
    "metadata.annotations.url",
  ]);
  const explained = await world.server.explainRender(world.request({ path: "app" }), noSignal);
  assert.ok(!JSON.stringify(explained).includes(password), "the later stage is masked");
  assert.deepEqual(
    explained.stages.map(({ sensitive }) => sensitive),
    [true, true],
  );
  await world.server[Symbol.asyncDispose]();
  assert.deepEqual(filesWith(world.dataDir, password), []);
});

const others: readonly [string, Plugin][] = [
  ["one without data", theirs([{ ...secret, data: {} }])],
  ["one of a plugin that says it is not sensitive", theirs([secret], { sensitive: false })],
];
for (const [what, plugin] of others)
  test(`a Secret: ${what} is nothing to tell`, async () => {
    await using world = await worldOf([plugin]);
    const { notes, validForMs } = await world.render(named);
    assert.deepEqual([notes, validForMs], [undefined, undefined]);
    await world.server[Symbol.asyncDispose]();
    assert.deepEqual(filesWith(world.dataDir, encoded), []);
  });
