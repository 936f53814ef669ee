import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { resolveLink } from "./resolve-link.ts";
import { sinkKptFolder, sourceKptFolder } from "./stream-folder.ts";

let top = "";
before(async () => {
  top = await mkdtemp(join(tmpdir(), "capstan-stream-"));
  await mkdir(join(top, "app/db"), { recursive: true });
  await writeFile(join(top, "app/Kptfile"), `${head("kpt.dev/v1", "Kptfile", "app")}`);
  await writeFile(
    join(top, "app/web.yaml"),
    `# ours\n${head("v1", "ConfigMap", "a")}---\n${head("v1", "Secret", "b")}`,
  );
  await writeFile(join(top, "app/db/db.yaml"), `${head("v1", "ConfigMap", "db")}data: # kept\n  list: "1"\n`);
  await writeFile(join(top, "config.yaml"), head("v1", "ConfigMap", "config"));
});
after(() => rm(top, { recursive: true, force: true }));

function head(apiVersion: string, kind: string, name: string): string {
  return `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata:\n  name: ${name}\n`;
}

async function source(output: "stdout" | "unwrap", fnConfig = ""): Promise<string> {
  let out = "";
  const around = {
    out: (text: string) => {
      out += text;
    },
    err: () => assert.fail("nothing to tell"),
  };
  assert.equal(await sourceKptFolder({ directory: join(top, "app"), output, fnConfig }, around), 0);
  return out;
}

async function sink(input: string, name: string): Promise<string[]> {
  const around = { out: () => undefined, readInput: async () => input };
  assert.equal(await sinkKptFolder(join(top, name), around), 0);
  return (await readdir(join(top, name), { recursive: true })).sort();
}

test("what source prints sink writes as it was", async () => {
  const files = await sink(await source("stdout"), "copy");
  assert.deepEqual(files, ["Kptfile", "db", "db/db.yaml", "web.yaml"]);
  for (const file of ["Kptfile", "web.yaml", "db/db.yaml"])
    assert.equal(
      await readFile(join(top, "copy", file), "utf8"),
      await readFile(join(top, "app", file), "utf8"),
    );
});

test("a configuration of functions comes with the list", async () => {
  const list = await source("stdout", join(top, "config.yaml"));
  assert.match(
    list,
    /\nfunctionConfig:\n {2}apiVersion: v1\n {2}kind: ConfigMap\n {2}metadata:\n {4}name: config\n/,
  );
  assert.match(list, /internal\.config\.kubernetes\.io\/path: 'db\/db\.yaml'/);
});

test("a configuration of functions is a file of YAML by its name", async () => {
  await assert.rejects(
    source("stdout", join(top, "app/Kptfile")),
    /expected exactly 1 functionConfig, found 0/,
  );
});

test("unwrapped resources say nothing of their files", async () => {
  const printed = await source("unwrap");
  assert.doesNotMatch(printed, /annotations|items/);
  assert.equal(printed.split("---\n").length, 4);
});

test("documents without a place get files of their names", async () => {
  const files = await sink(`${head("v1", "ConfigMap", "a")}---\n${head("v1", "Secret", "b")}`, "loose");
  assert.deepEqual(files, ["configmap_a.yaml", "secret_b.yaml"]);
});

test("sink writes into no folder that is there", async () => {
  await assert.rejects(sink("items: []", "app"), /already exists, please delete the directory and retry/);
});

test("who names a package by a link is told where it leads", async () => {
  await symlink(join(top, "app"), join(top, "link"));
  const told: string[] = [];
  const found = await resolveLink(join(top, "link"), { err: (text) => told.push(text) });
  assert.match(found, /\/app$/);
  assert.match(told.join(""), /^\[WARN\] resolved symlink ".*\/link" to ".*\/app", please note/);
});
