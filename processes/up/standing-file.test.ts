import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { systemClock as clock } from "@capstan/flow";
import { StandingFile } from "./standing-file.ts";

const folder = await mkdtemp(join(tmpdir(), "capstan-standing-"));
after(() => rm(folder, { recursive: true, force: true }));
const path = join(folder, "standing.json");
const warned: object[] = [];
const log = { warn: (facts: object) => void warned.push(facts) };
const open = (dataDir = folder) => StandingFile.open({ dataDir, clock, log });
const one = {
  facts: "digest",
  keys: [
    { id: "an id", inputs: "digest" },
    { id: "", inputs: "" },
  ],
};

async function written(): Promise<string> {
  await using file = await open();
  file.set("argocd/one", one);
  file.set("argocd/two", { facts: "other", keys: [] });
  file.set("argocd/two", undefined);
  await file[Symbol.asyncDispose]();
  return readFile(path, "utf8");
}

test("what was found is there for the next process, and what nobody changes is not written again", async () => {
  await using none = await open();
  assert.equal(none.get("argocd/one"), undefined);
  const text = await written();
  await using again = await open();
  assert.deepEqual(again.get("argocd/one"), one);
  assert.equal(again.get("argocd/two"), undefined);
  await rm(path);
  again.set("argocd/one", { ...one });
  await again[Symbol.asyncDispose]();
  await assert.rejects(readFile(path), { code: "ENOENT" });
  await writeFile(path, text);
});

test("a file of another program, a damaged one and one that is too long tell nothing", async () => {
  const text = await written();
  const damaged = [
    text.replace(/"program":"[^"]*"/, '"program":"another"'),
    text.slice(0, -3),
    `${text}\n{"no":"record"}`,
    `${text}\n["argocd/three",3]`,
    "null",
    "",
  ];
  for (const bad of damaged) {
    await writeFile(path, bad);
    await using file = await open();
    assert.equal(file.get("argocd/one"), undefined, bad);
  }
  await writeFile(path, text);
  await truncate(path, 2 ** 30);
  await using file = await open();
  assert.equal(file.get("argocd/one"), undefined);
});

test("a record that is too long is none, and a folder that cannot be written is said", async () => {
  await using file = await open();
  file.set("argocd/long", { facts: "digest", keys: [{ id: "x".repeat(20_000), inputs: "" }] });
  assert.equal(file.get("argocd/long"), undefined);
  const nowhere = await open(join(folder, "is not there"));
  nowhere.set("argocd/one", one);
  await nowhere[Symbol.asyncDispose]();
  assert.equal(warned.length, 1);
});
