import assert from "node:assert/strict";
import { test } from "node:test";
import { boundedWriter } from "./bounded-writer.ts";

/** A screen that draws when it is told to. */
function slowScreen() {
  const waiting: { text: string; drawn: () => void }[] = [];
  let shown = "";
  return {
    write: (text: string, drawn: () => void) => void waiting.push({ text, drawn }),
    waiting: () => waiting.reduce((sum, { text }) => sum + text.length, 0),
    shown: () => shown,
    drawAll() {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        shown += next.text;
        next.drawn();
      }
    },
  };
}

test("of a flood as much waits as a screen draws in a moment; the rest is counted, and what comes after it is there", () => {
  const screen = slowScreen();
  const write = boundedWriter(screen.write);
  for (let piece = 0; piece < 1_000; piece += 1) write("y\n".repeat(50_000));
  assert.ok(screen.waiting() <= 1_000_000, `${screen.waiting()} wait`);
  screen.drawAll();
  assert.match(screen.shown(), /\[99,000,000 characters came faster/);
  write("$ ");
  screen.drawAll();
  assert.ok(screen.shown().endsWith("\r\n$ "));
});

test("what a screen keeps up with comes whole, in its order", () => {
  const screen = slowScreen();
  const write = boundedWriter(screen.write);
  for (const piece of ["one ", "two ", "three"]) write(piece);
  screen.drawAll();
  assert.equal(screen.shown(), "one two three");
});
