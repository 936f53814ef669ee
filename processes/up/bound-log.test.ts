import assert from "node:assert/strict";
import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { eventually, stoppedClock } from "@capstan/testkit";
import { boundLog } from "./bound-log.ts";

test("a log that is too large goes aside, once, and begins anew", async () => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-log-"));
  const [path, clock, stop] = [join(folder, "up.log"), stoppedClock(), new AbortController()];
  const said: object[] = [];
  const warn = (facts: object) => void said.push(facts);
  const log = { debug: warn, info: warn, warn, error: warn };
  const becomes = (file: string, wanted: string) =>
    eventually(
      async () => {
        await clock.advance(10_000);
        return (await readFile(file, "utf8").catch(() => "")) === wanted || undefined;
      },
      { signal: AbortSignal.timeout(20_000), describe: () => `${file} does not become ${wanted}` },
    );
  try {
    await writeFile(path, "first line\n");
    const done = boundLog({ path, clock, log, signal: stop.signal, limitBytes: 15 });
    await becomes(path, "first line\n");
    await appendFile(path, "second line\n");
    await becomes(`${path}.1`, "first line\nsecond line\n");
    await becomes(path, "");
    await appendFile(path, "the third and long one\n");
    await becomes(`${path}.1`, "the third and long one\n");
    await rm(path);
    await eventually(
      async () => {
        await clock.advance(10_000);
        return said.length > 0 || undefined;
      },
      { signal: AbortSignal.timeout(20_000), describe: () => "nothing is said of a log that is gone" },
    );
    stop.abort();
    await clock.advance(10_000);
    assert.equal(await done, undefined);
  } finally {
    stop.abort();
    await rm(folder, { recursive: true, force: true });
  }
});
