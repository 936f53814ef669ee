import assert from "node:assert/strict";
import { test } from "node:test";
import { runStarlark } from "./run-starlark.ts";

const clock = { now: () => 0 };

test("a run that is aborted before it starts does not start", async () => {
  const run = runStarlark("x = 1", { name: "s", resourceList: null }, { signal: AbortSignal.abort(), clock });
  await assert.rejects(run, { name: "AbortError" });
});
