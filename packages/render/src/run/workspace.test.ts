import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { inProcessPlugin } from "@capstan/plugin-kit";
import { failsWith, startWorld } from "@capstan/testkit/render-world";

const manifest = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" } };

test("a plugin sees a private copy: files, modes and links, nothing else, and it is gone afterwards", async () => {
  let root = "";
  const looks = inProcessPlugin({
    name: "looks",
    inputs: async () => ({ paths: ["app", "missing"], refs: {}, facts: {} }),
    async generate(_context, stage) {
      root = (await stage.workspace()).root;
      const { stdout } = await stage.run({
        program: "sh",
        args: ["-c", "find . -printf '%p %y %m\\n' | sort; cat app/link; echo $HOME"],
        cwd: root,
      });
      const name = stdout.toString();
      assert.match(
        name,
        /\.\/app\/link l 777\n\.\/app\/run\.sh f 755\n\.\/common d 755\n\.\/common\/text f 644\nhello.*\/scratch\/home\n$/s,
      );
      assert.doesNotMatch(name, /other/);
      return { manifests: [{ manifest }], commands: [] };
    },
  });
  {
    await using world = await startWorld({ plugins: [looks] });
    world.repository.commit({
      "app/run.sh": "",
      "app/link": { link: "../common/text" },
      "common/text": "hello",
      "other/x": "",
    });
    world.repository.git("update-index", "--chmod=+x", "app/run.sh");
    world.repository.git("commit", "--quiet", "-m", "Make it a program");
    await world.render({ path: "app", plugin: { name: "looks" } });
  }
  assert.ok(root !== "" && !existsSync(root));
});

test("too many files and too many bytes are refused with the limit", async () => {
  const needsAll = inProcessPlugin({
    name: "all",
    async generate(_context, stage) {
      await stage.workspace();
      return { manifests: [], commands: [] };
    },
  });
  const files = { "app/a": "x".repeat(600), "app/b": "x".repeat(600) };
  for (const [limits, code] of [
    [{ maxFiles: 1 }, "INVALID_ARGUMENT"],
    [{ maxTreeBytes: 1000 }, "TREE_TOO_LARGE"],
    [{ maxFileBytes: 500 }, "FILE_TOO_LARGE"],
  ] as const) {
    await using world = await startWorld({ plugins: [needsAll], limits });
    world.repository.commit(files);
    await assert.rejects(world.render({ path: "app", plugin: { name: "all" } }), failsWith({ code }));
  }
});

test("copies of processes that were killed are removed at the next start, those of running ones stay", async () => {
  const old = new Date(Date.now() - 3_600_000);
  const dead = join(tmpdir(), "capstan-render-2147483646-test");
  const alive = join(tmpdir(), `capstan-render-${process.pid}-test`);
  for (const path of [dead, alive]) {
    mkdirSync(path, { recursive: true });
    utimesSync(path, old, old);
  }
  await using _world = await startWorld();
  const left = readdirSync(tmpdir()).filter((name) => name.endsWith("-test"));
  rmSync(alive, { recursive: true });
  assert.equal(left.includes(`capstan-render-${process.pid}-test`), true);
  assert.equal(existsSync(dead), false);
});

test("programs have the GOGC of Capstan's environment, else 400", async () => {
  const seen: string[] = [];
  const tells = inProcessPlugin({
    name: "tells",
    async generate(_context, stage) {
      const { root } = await stage.workspace();
      const { stdout } = await stage.run({ program: "sh", args: ["-c", "echo $GOGC"], cwd: root });
      seen.push(stdout.toString().trim());
      return { manifests: [{ manifest }], commands: [] };
    },
  });
  for (const env of [{ GOGC: "50" }, { GOGC: undefined }]) {
    await using world = await startWorld({ plugins: [tells], env: { ...process.env, ...env } });
    world.repository.commit({ "app/a": "" });
    await world.render({ path: "app", plugin: { name: "tells" } });
  }
  assert.deepEqual(seen, ["50", "400"]);
});
