import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { allFolders } from "@capstan/model";
import {
  createGitRepository,
  endProcessesNaming,
  eventually,
  processesNaming,
  realClock,
} from "@capstan/testkit";
import { findSandbox } from "./find-sandbox.ts";
import { readUpOptions } from "./options.ts";
import { startUpload } from "./start-upload.ts";

const limitMs = 100_000;
const probed = await findSandbox(realClock, AbortSignal.timeout(limitMs));
const kills = 40;

test("an upload that is killed while its sandbox sets itself up ends, and leaves no process", {
  skip: "why" in probed && probed.why,
}, async () => {
  if ("why" in probed) return;
  const dataDir = await mkdtemp(join(tmpdir(), "capstan-upload-"));
  await using repository = await createGitRepository({ "a.yaml": "a: 1\n" });
  const { dir } = repository;
  try {
    const start = startUpload(readUpOptions({ data: dataDir }, process.env), allFolders, probed.sandbox);
    for (let count = 0; count < kills; count++) {
      const upload = await start(dir, 2);
      for (const stream of [upload.stdout, upload.stderr]) stream.resume();
      await realClock.sleep(count / 10, AbortSignal.timeout(limitMs));
      upload.kill();
      const isLate = Symbol("late");
      const limit = AbortSignal.timeout(limitMs);
      const late = new Promise((resolve) => limit.addEventListener("abort", () => resolve(isLate)));
      assert.notEqual(await Promise.race([upload.ended, late]), isLate, `killed after ${count / 10} ms`);
    }
    await eventually(async () => (await processesNaming(dir)).length === 0, {
      signal: AbortSignal.timeout(limitMs),
      describe: () => "a process has stayed",
    });
  } finally {
    await endProcessesNaming(dir);
    await rm(dataDir, { recursive: true, force: true });
  }
});
