import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";

const module = new URL("./memory-at-rest.ts", import.meta.url).href;

test("a thread that rests gives back what its work has left", { timeout: 60_000 }, async () => {
  // Nothing else of it makes V8 collect: it would wait for this to be true for ever.
  const program = `
    const { getHeapStatistics } = require("node:v8");
    let kept = Array.from({ length: 1_500_000 }, (_, index) => ({ index }));
    const before = getHeapStatistics().total_heap_size;
    kept = undefined;
    const timer = setInterval(() => {
      if (getHeapStatistics().total_heap_size < before / 2) clearInterval(timer);
    }, 100);`;
  const ended = await promisify(execFile)(process.execPath, ["--import", module, "-e", program]);
  assert.equal(ended.stderr, "");
});
