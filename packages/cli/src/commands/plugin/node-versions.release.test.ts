/** What leaves an author's machine, by the Nodes that others have: as npm has them, where that can be reached. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { messageOf } from "@capstan/model";
import { realClock, startProcess, untilServing } from "@capstan/testkit";
import { builtInPlugins } from "@capstan/testkit/worlds";
import { runPlugin } from "./test-run-plugin.ts";

const kit = join(import.meta.dirname, "../../../../plugin-kit/npm");
const limitMs = 300_000;
const versions = ["20", "22", "24", "26"];
const run = promisify(execFile);
const platform = `${process.platform}-${process.arch}`;

describe("a plugin by Node 20 to 26", { timeout: limitMs }, () => {
  let top: string;
  let why: string | false = false;
  before(
    async () => {
      top = await mkdtemp(join(tmpdir(), "capstan-node-versions-"));
      try {
        await prepare();
      } catch (error) {
        why = `npm's registry cannot be had: ${messageOf(error).slice(0, 500)}`;
        if (!/npm (error|ERR!) (code )?(E\w+|network)/.test(messageOf(error))) throw error;
      }
    },
    { timeout: limitMs },
  );
  after(() => rm(top, { recursive: true, force: true }));

  const npm = (cwd: string, ...args: string[]) =>
    run("npm", [...args, "--no-audit", "--no-fund"], { cwd, timeout: limitMs });
  const capstan = (...argv: string[]) =>
    runPlugin(argv, { home: top, clock: realClock, plugins: builtInPlugins });
  const nodeOf = (version: string) =>
    join(top, `node-${version}`, "node_modules", `node-${platform}`, "bin/node");

  /** A plugin of each kind, built, and the one in TypeScript installed and compiled with what it was begun with. */
  async function prepare(): Promise<void> {
    await npm(kit, "pack", "--pack-destination", top);
    for (const kind of ["typescript", "command"]) {
      assert.equal((await capstan("init", join(top, kind), "--kind", kind)).code, 0);
      const built = await capstan("build", join(top, kind), "-o", join(top, "built", kind));
      assert.equal(built.code, 0, built.err);
    }
    const { version }: { version: string } = JSON.parse(await readFile(join(kit, "package.json"), "utf8"));
    const packed = `capstan-plugin-kit-${version}.tgz`;
    await copyFile(join(top, packed), join(top, "typescript", packed));
    await npm(join(top, "typescript"), "install");
    await npm(join(top, "typescript"), "run", "build");
    for (const one of versions) {
      const folder = join(top, `node-${one}`);
      await mkdir(folder);
      await writeFile(join(folder, "package.json"), "{}");
      await npm(folder, "install", `node-${platform}@${one}`);
    }
  }

  async function renderBy(node: string, program: string, name: string): Promise<void> {
    const sockets = await mkdtemp(join(top, "s-"));
    await using server = startProcess(node, [program, "--socket-dir", sockets]);
    await untilServing(name, server, () => existsSync(join(sockets, `${name}.sock`)) || undefined);
    const source = join(top, name, "testdata/hello/source");
    const where = ["--plugin", name, "--socket-dir", sockets, "--source", source];
    const { out, err } = await capstan("render", ...where, "--plugin-parameter", "greeting=Bye");
    assert.match(out, /text: Bye ada/, err + server.output());
  }

  for (const version of versions)
    test(`by Node ${version}: its test, what npm installs, what plugin build makes`, async (t) => {
      if (why !== false) return t.skip(why);
      const node = nodeOf(version);
      const { stdout } = await run(node, ["--version"]);
      assert.match(stdout, new RegExp(`^v${version}\\.`));
      // It is no part of the test that runs it.
      const { NODE_TEST_CONTEXT: _own, ...env } = process.env;
      const tested = await run(node, ["--test", join(top, "typescript/out/plugin.test.js")], { env });
      assert.match(tested.stdout, /pass 1\b/);
      await renderBy(node, join(top, "typescript/out/plugin.js"), "typescript");
      for (const kind of ["typescript", "command"]) {
        const program = join(top, "built", kind, "plugin.js");
        await renderBy(node, program, kind);
        assert.match((await run(node, [program, "--help"])).stdout, /--listen HOST:PORT/);
        await assert.rejects(
          run(node, [program, "--listen", "127.0.0.1:0"]),
          /error: listening on .*--token-file/,
        );
      }
    });
});
