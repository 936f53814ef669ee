import assert from "node:assert/strict";
import { test } from "node:test";
import { realClock as clock } from "@capstan/testkit";
import { runMain } from "./test-main.ts";

test("the help of --sync-option lists the options of an application with what they do", async () => {
  const { out } = await runMain(["app", "set", "--help"], { clock });
  assert.match(out, /^Values of --sync-option:$/m);
  assert.match(out, /^ +PruneLast=true\|false +prunes after everything else$/m);
  assert.doesNotMatch(out, /Force=/, "it counts on objects alone");
});

test("--sync-option completes with what may stand there", async () => {
  const { out } = await runMain(["__complete", "--", "app", "create", "--sync-option", "PrunePro"], {
    clock,
  });
  assert.deepEqual(
    out.split("\n").map((line) => line.split("\t")[0]),
    [
      "PrunePropagationPolicy=foreground",
      "PrunePropagationPolicy=background",
      "PrunePropagationPolicy=orphan",
      "",
    ],
  );
});
