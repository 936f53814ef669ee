import assert from "node:assert/strict";
import { test } from "node:test";
import { testPlugin } from "@capstan/plugin-kit";
import plugin from "./plugin.ts";

test("each line becomes a ConfigMap", async () => {
  const { manifests } = await testPlugin(plugin, {
    files: { "names.txt": "ada\ngrace\n" },
    parameters: { prefix: "team-", weight: 3 },
  });
  assert.deepEqual(
    manifests.map(({ metadata, data }) => [metadata.name, data]),
    [
      ["team-ada", { weight: "3" }],
      ["team-grace", { weight: "3" }],
    ],
  );
});
