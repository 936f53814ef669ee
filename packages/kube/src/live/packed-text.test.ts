import assert from "node:assert/strict";
import { test } from "node:test";
import { packText, unpackText } from "./packed-text.ts";

const lines = (count: number, of: (at: number) => string) => Array.from({ length: count }, (_, at) => of(at));

const texts: Readonly<Record<string, string>> = {
  nothing: "",
  "less than is looked for": "abc",
  "nothing that comes again": lines(300, (at) => String.fromCharCode(33 + ((at * at * 7) % 90))).join(""),
  "one letter many times": "a".repeat(100_000),
  "a short pattern that goes on in its own copy": "abcdefg".repeat(20_000),
  "a copy at the end": "resources-and-history resources-and-history",
  "other alphabets": "läuft ✓ 部署 🚀 \u0000\u00ff ".repeat(500),
  "one letter beyond ASCII": `${"plain text ".repeat(50)}é`,
  "a text longer than others": lines(40_000, (at) => `{"name":"app-${at}","status":"Synced"}`).join(","),
  "after it, a short one again": lines(30, (at) => `{"name":"app-${at}","status":"Synced"}`).join(","),
  "copies from far back": `${"0123456789abcdef".repeat(8)}${lines(9_000, (at) => `${at * at}`).join("")}${"0123456789abcdef".repeat(8)}`,
};

for (const [what, text] of Object.entries(texts))
  test(`${what} comes back as it was`, () => {
    const packed = packText(text);
    assert.match(packed, /^[\0-\xff]*$/);
    assert.equal(unpackText(packed), text);
  });

test("of texts packed one after the other each comes back, in any order", () => {
  const all = lines(200, (at) => lines(at, (one) => `line ${one % 7} of ${at} ä`).join("\n"));
  const packed = all.map(packText);
  for (const [at, one] of [...packed.entries()].toReversed()) assert.equal(unpackText(one), all[at]);
});

test("what says much again becomes a small part of what it was", () => {
  const text = lines(
    500,
    (at) => `{"version":"v1","kind":"ConfigMap","namespace":"shop","name":"app-${at}"}`,
  ).join();
  assert.ok(packText(text).length * 8 < text.length);
});
