import assert from "node:assert/strict";
import { test } from "node:test";
import { rewriteEntry, rewriteLibrary } from "./rewrite-rego.ts";

test("a module moves below its prefix, with what it names of libraries, and its lines stay", () => {
  const source = `# package of the shop
package shop["a-b"].deny

import data.lib.names

violation[{"msg": msg}] {
  msg := names.of(data.lib.other.x, "data.lib.y", \`data.lib.z\`) # data.lib.comment
  input.review.object.data.lib == data.inventory.cluster
}
`;
  const { source: moved, names } = rewriteEntry(source, "templates.t3");
  assert.equal(
    moved,
    source
      .replace('shop["a-b"].deny', "templates.t3.main")
      .replace("import data.lib", "import data.templates.t3.lib")
      .replace("(data.lib", "(data.templates.t3.lib"),
  );
  assert.ok(names.has("violation"));
});

test("a library moves with its name", () => {
  assert.match(
    rewriteLibrary("package lib.names\n\none = 1\n", "templates.t0").source,
    /^package templates\.t0\.lib\.names\n/,
  );
});

const refused: readonly (readonly [source: string, reason: RegExp])[] = [
  ["package a\n\nx = data.other.y\n", /disallowed ref data\.other\.y/],
  ["package a\n\nx = data\n", /disallowed ref data/],
  ['package a\n\nx = data["lib"].y\n', /disallowed ref data\["lib"\]/],
  ["package a\n\nimport data.other\n", /bad import/],
  ["package a\n\nimport input.x\n", /bad import/],
  ["# nothing\n", /empty module/],
  ["x = 1\n", /package expected/],
];
for (const [source, reason] of refused)
  test(`${JSON.stringify(source)} is refused`, () => {
    assert.throws(() => rewriteEntry(source, "templates.t0"), reason);
  });

test("a library outside of lib is refused", () => {
  assert.throws(() => rewriteLibrary("package names\n", "templates.t0"), /path data\.names not found/);
});
