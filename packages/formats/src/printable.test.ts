import assert from "node:assert/strict";
import { test } from "node:test";
import { printable } from "./printable.ts";

test("control characters are shown, not sent: those of a terminal's C1 set and a carriage return too", () => {
  assert.equal(
    printable("a\x1b]0;title\x07b\x9b2J\x7f\rc"),
    "a\\u001b]0;title\\u0007b\\u009b2J\\u007f\\u000dc",
  );
});

test("lines, tabs and ordinary texts stay as they are", () => {
  assert.equal(printable("ä\tb\nc – 日本"), "ä\tb\nc – 日本");
  assert.equal(printable("a\r\nb\x1b"), "a\nb\\u001b");
});

test("our own colours are kept, others are not", () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a colour
  const own = /\x1b\[(?:32|39)m/g;
  assert.equal(printable("\x1b[32mok\x1b[39m \x1b[8mhidden", own), "\x1b[32mok\x1b[39m \\u001b[8mhidden");
});
