import assert from "node:assert/strict";
import { test } from "node:test";
import { authorPlace } from "./author-place.ts";

const inner = "    at runDefined (file:///kit/src/author/served.ts:90:23)";
const stacks: readonly (readonly [fact: string, lines: readonly string[], place: string | undefined])[] = [
  ["a throw", ["TypeError: x", "    at generate (file:///my/plugin.ts?3:12:7)", inner], "plugin.ts:12:7"],
  [
    "a throw in a file that the plugin reads",
    ["Error: x", "    at file:///my/lib/a%20b.ts?1:3:1", "    at generate (file:///my/plugin.ts?1:2:3)"],
    "lib/a b.ts:3:1",
  ],
  [
    "an await",
    ["Error: x", inner, "    at async Object.generate (file:///my/plugin.ts:5:9)"],
    "plugin.ts:5:9",
  ],
  [
    "a library's throw",
    ["Error: x", "    at parse (file:///my/node_modules/y/y.js:1:1)", "    at load (/my/plugin.js:4:2)"],
    "plugin.js:4:2",
  ],
  ["what Node cannot read as TypeScript", ["/my/plugin.ts:2", "export default {", "     ^"], "plugin.ts:2"],
  ["what Node cannot read as JavaScript", ["file:///my/plugin.js?1:7", "x", ""], "plugin.js:7"],
  ["nothing of the author's", ["Error: at file:///my", inner], undefined],
];

for (const [fact, lines, place] of stacks)
  test(`the author's place: ${fact}`, () => {
    const error = new Error("x");
    error.stack = lines.join("\n");
    assert.equal(authorPlace(error, "/my"), place);
  });
