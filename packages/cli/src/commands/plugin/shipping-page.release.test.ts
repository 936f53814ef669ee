/** docs/shipping-a-plugin.md, typed command by command from an empty home, where Node 20 is the only Node. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { messageOf } from "@capstan/model";
import { type DocsCommand, readDocsBlocks, startProcess } from "@capstan/testkit";

const top = join(import.meta.dirname, "../../../../..");
const page = join(top, "docs", "shipping-a-plugin.md");
const limitMs = 400_000;
const run = promisify(execFile);
const mark = "\u001e";

/** Node 20 of npm in a folder of its own; nothing where npm's registry cannot be had. */
async function installNode(folder: string): Promise<string | undefined> {
  await mkdir(folder);
  await writeFile(join(folder, "package.json"), "{}");
  const name = `node-${process.platform}-${process.arch}`;
  try {
    await run("npm", ["install", `${name}@20`, "--no-audit", "--no-fund"], { cwd: folder, timeout: limitMs });
  } catch (error) {
    if (!/npm (error|ERR!) (code )?(E\w+|network)/.test(messageOf(error))) throw error;
    return undefined;
  }
  return join(folder, "node_modules", name, "bin");
}

/** One shell for the whole page, as a person has: its folders, its variables, what runs in the background. */
function scriptOf(commands: readonly DocsCommand[]): string {
  const steps = commands.map(({ text }, index) => `printf '\\n${mark}${index}\\n'\n${text}\n`);
  return `set -e\nexec 2>&1\n${steps.join("")}printf '\\n${mark}${commands.length}\\n'\n`;
}

test("three plugins from nothing to a running service by the page alone, with Node 20", {
  timeout: limitMs,
}, async (t) => {
  const scratch = await mkdtemp(join(tmpdir(), "capstan-shipping-"));
  t.after(() => rm(scratch, { recursive: true, force: true }));
  await chmod(scratch, 0o755);
  const node = await installNode(join(scratch, "node"));
  if (node === undefined) return t.skip("Node 20 cannot be had: npm's registry does not answer");
  const commands = readDocsBlocks(await readFile(page, "utf8")).flatMap((block) => block.commands);
  const [home, bin] = [join(scratch, "home"), join(scratch, "bin")];
  for (const folder of [home, bin]) await mkdir(folder);
  await symlink(join(top, "bin", "capstan.js"), join(bin, "capstan"));
  await writeFile(join(scratch, "page.sh"), scriptOf(commands));
  const path = [node, bin, "/usr/local/bin", "/usr/bin", "/bin"].join(":");
  const { NODE_TEST_CONTEXT: _own, ...inherited } = process.env;
  const env = { ...inherited, HOME: home, PATH: path };
  assert.match((await run("node", ["--version"], { env })).stdout, /^v20\./);
  await using shell = startProcess("/bin/bash", [join(scratch, "page.sh")], { cwd: home, env });
  const until = Date.now() + limitMs;
  while (shell.ended() === undefined && Date.now() < until)
    await new Promise((next) => setTimeout(next, 200));
  const parts = shell.output().split(mark).slice(1);
  for (const [index, { text, output, line }] of commands.entries()) {
    const said = parts.find((one) => one.startsWith(`${index}\n`)) ?? "";
    assert.ok(parts[index + 1] !== undefined, `line ${line}: ${text}\nfailed:\n${said || shell.output()}`);
    for (const expected of output)
      if (expected.trim() !== "" && expected !== "…")
        assert.ok(said.includes(expected.trim()), `line ${line}: ${text}\nsays not "${expected}":\n${said}`);
  }
});
