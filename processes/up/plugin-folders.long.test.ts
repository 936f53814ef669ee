/** `capstan up --plugins DIR` with folders as `plugin init` begins them. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { createGitRepository, eventually, sketchApplication, startCapstan } from "@capstan/testkit";

const program = join(import.meta.dirname, "..", "..", "bin", "capstan.js");
const signal = () => AbortSignal.timeout(100_000);

test("folders of plugin.yaml and plugin.ts are served, with scripts beside the file; what is saved counts, what is new too", async (t) => {
  const plugins = await mkdtemp(join(tmpdir(), "capstan-plugin-folders-"));
  t.after(() => rm(plugins, { recursive: true, force: true }));
  const begin = (name: string, kind: string) =>
    promisify(execFile)(process.execPath, [program, "plugin", "init", join(plugins, name), "--kind", kind]);
  await begin("shell", "command");
  await begin("typed", "typescript");
  await using repository = await createGitRepository({ "app/names.txt": "ada\n" });
  await using capstan = await startCapstan({ flags: ["--no-samples", "--plugins", plugins] });
  const greets = async (plugin: string, text: string): Promise<void> => {
    await eventually(
      async () => {
        const path = `/api/v1/applications/${plugin}/manifests`;
        await capstan.api("GET", `/api/v1/applications/${plugin}?refresh=hard`);
        const { body } = await capstan.api("GET", path);
        return JSON.stringify(body).includes(`${text} ada`) || undefined;
      },
      { signal: signal(), describe: () => `${plugin} does not say ${text}\n${capstan.output()}` },
    );
  };
  const create = (name: string) => {
    const source = { plugin: { name } };
    const sketch = { name, repoURL: repository.url, path: "app", source, syncPolicy: {} };
    return capstan.kube.create(sketchApplication(sketch), { fieldManager: "test", signal: signal() });
  };
  for (const name of ["shell", "typed"]) {
    await create(name);
    await greets(name, "Hello");
  }
  const file = join(plugins, "typed", "plugin.ts");
  await writeFile(file, (await readFile(file, "utf8")).replace('"Hello"', '"Moin"'));
  await greets("typed", "Moin");
  // Capstan's data is not there for a program, where there is a sandbox; where there is none, that is said.
  const password = JSON.stringify(join(capstan.dataDir, "admin-password"));
  const looking = (await readFile(file, "utf8")).replace(
    '"Moin"',
    `existsSync(${password}) ? "Sees" : "Misses"`,
  );
  await writeFile(file, `import { existsSync } from "node:fs";\n${looking}`);
  await greets("typed", capstan.output().includes("program runs without a sandbox") ? "Sees" : "Misses");
  await begin("later", "typescript");
  await begin("last", "command");
  for (const name of ["later", "last"]) {
    await create(name);
    await greets(name, "Hello");
  }
  const { body } = await capstan.api("GET", "/api/v1/settings/plugins");
  for (const name of ["shell", "typed", "later", "last"])
    assert.match(JSON.stringify(body), new RegExp(`"${name}"`));
});
