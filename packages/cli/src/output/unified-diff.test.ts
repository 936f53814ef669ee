import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { unifiedDiff } from "./unified-diff.ts";

const plain = (_colour: string, text: string) => text;
const options = { names: ["live", "git"] as const, paint: plain };
const diff = (left: string, right: string) => unifiedDiff(left, right, options);

test("a changed line stands between three lines on either side", () => {
  const lines = (middle: string) => ["a", "b", "c", "d", middle, "e", "f", "g", "h", ""].join("\n");
  assert.equal(
    diff(lines("old"), lines("new")),
    "--- live\n+++ git\n@@ -2,7 +2,7 @@\n b\n c\n d\n-old\n+new\n e\n f\n g\n",
  );
});

test("changes far apart are two hunks, near ones are one", () => {
  const numbers = Array.from({ length: 30 }, (_, index) => `line ${index}`);
  const changed = (...at: number[]) =>
    numbers.map((text, index) => (at.includes(index) ? `${text} changed` : text)).join("\n");
  assert.equal(diff(changed(), changed(2, 25)).match(/^@@/gm)?.length, 2);
  assert.equal(diff(changed(), changed(2, 6)).match(/^@@/gm)?.length, 1);
});

test("a text that begins or ends to be is shown whole", () => {
  assert.equal(diff("", "a\nb\n"), "--- live\n+++ git\n@@ -0,0 +1,2 @@\n+a\n+b\n");
  assert.equal(diff("a\n", ""), "--- live\n+++ git\n@@ -1,1 +0,0 @@\n-a\n");
  assert.equal(diff("same\n", "same\n"), "");
});

test("the hunks, applied to the left, give the right", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c", "d", ""), { maxLength: 30 })
    .map((lines) => lines.map((line) => `${line}\n`).join(""));
  fc.assert(
    fc.property(text, text, (left, right) => {
      assert.equal(applied(left, diff(left, right)), right);
    }),
  );
});

function applied(left: string, patch: string): string {
  if (patch === "") return left;
  const source = left.split("\n").slice(0, -1);
  const result: string[] = [];
  let at = 0;
  for (const line of patch.split("\n").slice(2, -1)) {
    const head = /^@@ -(\d+),(\d+)/.exec(line);
    if (head) {
      const start = head[2] === "0" ? Number(head[1]) : Number(head[1]) - 1;
      result.push(...source.slice(at, start));
      at = start;
    } else if (line.startsWith("+")) result.push(line.slice(1));
    else {
      assert.equal(source[at], line.slice(1));
      if (line.startsWith(" ")) result.push(line.slice(1));
      at += 1;
    }
  }
  return [...result, ...source.slice(at)].map((line) => `${line}\n`).join("");
}

test("texts that share nothing in thousands of lines are shown as replaced", () => {
  const lines = (sign: string) => Array.from({ length: 5_000 }, (_, at) => `${sign}${at}\n`).join("");
  const [left, right] = [lines("a"), lines("b")];
  assert.equal(applied(left, diff(left, right)), right);
});
