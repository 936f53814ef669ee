import assert from "node:assert/strict";
import { test } from "node:test";
import { readLiterals, readPlaces } from "./read-literals.ts";

const code = `
import { x } from "./x.ts";
const worker: URL = new URL("./y-worker.ts", import.meta.url);
const folder = join(import.meta.dirname, "..");
const ending = extname(import.meta.filename);
const kit = import.meta.resolve("@capstan/plugin-kit");
const text = 'serve(import.meta.dirname)'; // import.meta.url
if (isMain(import.meta)) run(import.meta.main);
`;

test("where a module asks for its place, or another's, is found, but not in a text or a comment", () => {
  const found = readPlaces("a.ts", code).map(({ start, end, asks, given }) => [
    ...[code.slice(start, end), asks],
    ...(given === undefined ? [] : [given]),
  ]);
  assert.deepEqual(
    found.toSorted(([one = ""], [other = ""]) => one.localeCompare(other)),
    [
      ["import.meta.dirname", "dirname"],
      ["import.meta.filename", "filename"],
      ['import.meta.resolve("@capstan/plugin-kit")', "resolve", "@capstan/plugin-kit"],
      ["import.meta.url", "url"],
    ],
  );
});

test("strings are found where they stand; those of imports and of import.meta.resolve name modules", () => {
  const literals = readLiterals("a.ts", code).map(({ value, isModule }) => [value, isModule]);
  assert.deepEqual(literals.slice(0, 4), [
    ["./x.ts", true],
    ["./y-worker.ts", false],
    ["..", false],
    ["@capstan/plugin-kit", true],
  ]);
});
