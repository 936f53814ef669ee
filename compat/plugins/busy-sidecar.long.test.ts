/** A stock plugin server that has much to do is not away: who needs it waits for it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, lackingCmpServer } from "@capstan/testkit";
import { openRenderWorld } from "./render-world.ts";

const skip = lackingCmpServer();
const kind = "argocd-cmp-server";
const apps = Array.from({ length: 11 }, (_, index) => `app-${index}`);
const generate = (script: string) => `generate: {command: [sh, -c, ${JSON.stringify(script)}]}`;
const manifest = (name: string) =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
const files = (state: string) => ({
  ...Object.fromEntries(apps.map((app) => [`${app}/a.json`, manifest(`${app}-${state}`)])),
});

type World = Awaited<ReturnType<typeof openRenderWorld>>;

/** The names of what all eleven gave; rejects where one failed. */
async function renderAll(world: World, plugin: string): Promise<string[]> {
  const answers = await Promise.all(
    apps.map((path) => world.render({ path, plugin: { name: plugin } }, { appName: path })),
  );
  return answers.map(({ manifests }) => manifests[0]?.manifest.metadata.name ?? "");
}

test("a server that answers nothing for a while is busy: eleven applications wait for it and none fails", {
  skip,
}, async () => {
  await using world = await openRenderWorld(kind, [
    { name: "busy", spec: generate("cat a.json") },
    { name: "other", spec: generate("cat a.json") },
  ]);
  await world.repository.commit(files("first"));
  const [{ pid = 0 } = {}] = world.servers;
  process.kill(pid, "SIGSTOP");
  try {
    const all = renderAll(world, "busy");
    const notes = await eventually(
      async () => {
        const found = (await world.server.listPlugins()).find(({ name }) => name === "busy");
        return found?.notes?.some((note) => /it is busy: it has not answered for \d+ s/.test(note))
          ? found.notes
          : undefined;
      },
      { signal: AbortSignal.timeout(30_000), describe: () => "plugin list does not say that it is busy" },
    );
    assert.equal(notes.length, 1);
    // Who needs another plugin has waited as long as one look takes, and waits no more.
    await world.render({ path: "app-0", plugin: { name: "other" } }, { appName: "another" });
    process.kill(pid, "SIGCONT");
    assert.deepEqual(
      await all,
      apps.map((app) => `${app}-first`),
    );
  } finally {
    process.kill(pid, "SIGCONT");
  }
  await world.repository.commit(files("second"));
  assert.deepEqual(
    await renderAll(world, "busy"),
    apps.map((app) => `${app}-second`),
  );
  const failed = world.logged.filter(({ message }) => message === "render failed");
  assert.deepEqual(failed, [], "nothing had to be tried again later");
});

test("a server that does one thing after another gets one after another: none of eleven runs out of its time", {
  skip,
}, async () => {
  // Eight at once would need eight times a second each, and have five.
  const spec = generate('flock "$LOCK" sleep 1; cat a.json');
  const sidecar = { name: "serial", spec, env: { LOCK: `/tmp/capstan-serial-${process.pid}` } };
  await using world = await openRenderWorld(kind, [sidecar], { limits: { renderTimeoutMs: 5_000 } });
  await world.repository.commit(files("first"));
  assert.deepEqual(
    await renderAll(world, "serial"),
    apps.map((app) => `${app}-first`),
  );
  assert.deepEqual(
    world.logged.filter(({ message }) => message === "render failed"),
    [],
  );
});

test("what takes too long says how long it waited for its turn and how long it ran", { skip }, async () => {
  const options = { limits: { renderTimeoutMs: 2_000 } };
  await using world = await openRenderWorld(kind, [{ name: "hangs", spec: generate("sleep 600") }], options);
  await world.repository.commit(files("first"));
  const all = apps
    .slice(0, 3)
    .map((path) => world.render({ path, plugin: { name: "hangs" } }, { appName: path }));
  const said = (await Promise.allSettled(all)).map((one) =>
    one.status === "rejected" ? String(one.reason) : "it did not fail",
  );
  for (const text of said)
    assert.match(text, /plugin hangs took longer than 2 s \(waited [\d.]+ m?s for its turn, ran 2 s\)/);
  assert.match(said.join("\n"), /waited [12](\.\d)? s/);
});
