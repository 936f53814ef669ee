/** What `capstan plugin build` makes, and what `serve` serves, asked over the socket. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { realClock, startProcess, untilServing } from "@capstan/testkit";
import { builtInPlugins } from "@capstan/testkit/worlds";
import { runPlugin } from "./test-run-plugin.ts";

const launcher = join(import.meta.dirname, "..", "..", "..", "..", "..", "bin", "capstan.js");

describe("capstan plugin build and serve", () => {
  let top: string;
  before(async () => {
    top = await mkdtemp(join(tmpdir(), "capstan-plugin-build-"));
  });
  after(() => rm(top, { recursive: true, force: true }));

  const capstan = (...argv: string[]) =>
    runPlugin(argv, { home: top, clock: realClock, plugins: builtInPlugins });

  /** Starts what serves the plugin, and renders the case of `init` by it. */
  async function renderBy(args: readonly string[], name: string): Promise<string> {
    const sockets = await mkdtemp(join(top, "s-"));
    await using server = startProcess(process.execPath, [...args, "--socket-dir", sockets], { cwd: top });
    await untilServing(name, server, () => existsSync(join(sockets, `${name}.sock`)) || undefined);
    const source = join(top, name, "testdata/hello/source");
    const where = ["--plugin", name, "--socket-dir", sockets, "--source", source];
    const { out, err } = await capstan("render", ...where, "--plugin-parameter", "greeting=Bye");
    assert.match(out, /text: Bye ada/, err + server.output());
    return server.output();
  }

  for (const kind of ["typescript", "command"] as const)
    test(`a plugin of kind ${kind} is served from its folder, and built and served alone`, async () => {
      const name = `of-${kind}`;
      await capstan("init", join(top, name), "--kind", kind);
      await renderBy([launcher, "plugin", "serve", join(top, name)], name);
      const output = join(top, name, "dist");
      const built = await capstan("build", join(top, name), "-o", output);
      assert.equal(built.code, 0, built.err);
      await renderBy([join(output, "plugin.js")], name);
      const again = await capstan("build", join(top, name), "-o", output);
      assert.equal(again.code, 0, `built over what was built: ${again.err}`);
      assert.ok(!existsSync(join(output, "testdata")), "cases are not for runs");
      assert.ok(!existsSync(join(output, "dist")), "what was built is no part of the plugin");
      assert.match(await readFile(join(output, "LICENSES.txt"), "utf8"), /@grpc\/grpc-js .*Apache-2\.0/);
    });

  test("a program has its own files, its packages and its data in the folder", async () => {
    const folder = join(top, "whole");
    await mkdir(join(folder, "templates"), { recursive: true });
    await mkdir(join(folder, "node_modules/shout"), { recursive: true });
    await writeFile(
      join(folder, "node_modules/shout/package.json"),
      '{"name": "shout", "version": "1.0.0", "main": "index.js", "license": "MIT"}',
    );
    await writeFile(
      join(folder, "node_modules/shout/index.js"),
      "exports.shout = (text) => text.toUpperCase();",
    );
    await writeFile(join(folder, "templates/a.txt"), "from a template");
    await symlink("a.txt", join(folder, "templates/b.txt"));
    await writeFile(
      join(folder, "words.ts"),
      'export const word = "word";\nif (import.meta.main) throw new Error("is not the main file");\n',
    );
    await writeFile(
      join(folder, "plugin.ts"),
      `import { readFileSync } from "node:fs";
import { definePlugin, servePlugin } from "@capstan/plugin-kit";
import { shout } from "shout";
import { word } from "./words.ts";
const text = readFileSync(\`\${import.meta.dirname}/templates/b.txt\`, "utf8");
const plugin = definePlugin({
  name: "whole",
  generate: () => [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "w" }, data: { text: shout(text), word } }],
});
export default plugin;
await servePlugin(plugin);
`,
    );
    const output = join(top, "whole-built");
    const built = await capstan("build", folder, "-o", output);
    assert.equal(built.code, 0, built.err);
    assert.match(await readFile(join(output, "LICENSES.txt"), "utf8"), /shout 1\.0\.0: MIT/);
    await rm(folder, { recursive: true });
    const sockets = await mkdtemp(join(top, "s-"));
    const args = [join(output, "plugin.js"), "--socket-dir", sockets];
    await using server = startProcess(process.execPath, args);
    await untilServing("whole", server, () => existsSync(join(sockets, "whole.sock")) || undefined);
    const { out, err } = await capstan(
      "render",
      "--plugin",
      "whole",
      "--socket-dir",
      sockets,
      "--source",
      sockets,
    );
    assert.match(out, /text: FROM A TEMPLATE\n {2}word: word/, err);
  });

  test("what is wrong is said by its file, and what was built before stays", async () => {
    const folder = join(top, "wrong");
    await capstan("init", folder);
    const output = join(top, "wrong-built");
    assert.equal((await capstan("build", folder, "-o", output)).code, 0);
    const good = await readFile(join(output, "plugin.js"), "utf8");
    const text = await readFile(join(folder, "plugin.ts"), "utf8");
    await writeFile(join(folder, "plugin.ts"), `import "absent-package";\n${text}`);
    const absent = await capstan("build", folder, "-o", output);
    assert.equal(absent.code, 20);
    assert.match(absent.err, /absent-package/);
    assert.equal(await readFile(join(output, "plugin.js"), "utf8"), good);
    const within = await capstan("build", folder, "-o", top);
    assert.match(within.err, /holds the plugin itself/);
  });

  test("a link out of the folder is refused before anything is bundled", async () => {
    const folder = join(top, "linked");
    await capstan("init", folder);
    const text = await readFile(join(folder, "plugin.ts"), "utf8");
    await writeFile(join(top, "elsewhere.ts"), "export const other = 1;\n");
    await writeFile(join(folder, "plugin.ts"), `import "../elsewhere.ts";\n${text}`);
    assert.match((await capstan("build", folder, "-o", join(top, "linked-built"))).err, /outside of/);
    await symlink(join(top, "elsewhere.ts"), join(folder, "data.json"));
    assert.match((await capstan("build", folder, "-o", join(top, "linked-built"))).err, /out of the folder/);
  });

  test("a script that only its owner may run is run by the built folder too", async () => {
    const folder = join(top, "modes");
    await capstan("init", folder, "--kind", "command");
    await chmod(join(folder, "generate.sh"), 0o700);
    await capstan("build", folder, "-o", join(top, "modes-built"));
    await renderBy([join(top, "modes-built", "plugin.js")], "modes");
  });
});
