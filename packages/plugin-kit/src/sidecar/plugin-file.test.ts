import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readPluginFile } from "./plugin-file.ts";

test("a typing error in plugin.yaml is refused with what was meant; what nobody knows at all is a warning", async () => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-plugin-"));
  const file = join(folder, "plugin.yaml");
  const read = async (field: string) => {
    const text = `kind: ConfigManagementPlugin\nmetadata: {name: a}\nspec:\n  generate: {command: [a]}\n  ${field}\n`;
    await writeFile(file, text);
    return readPluginFile(file);
  };
  try {
    const wrong = { inputz: "{paths: [a]}", discovery: "{fileName: a}" };
    for (const [field, value] of Object.entries(wrong))
      await assert.rejects(
        read(`${field}: ${value}`),
        new RegExp(
          `line 5: spec\\.${field}: is not a field.*did you mean ${field === "inputz" ? "inputs" : "discover"}\\?`,
        ),
      );
    const [found] = await read("somethingElse: 1");
    assert.match(
      found?.warnings.join() ?? "",
      /^line 5: spec\.somethingElse: is not a field that this version knows/,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});
