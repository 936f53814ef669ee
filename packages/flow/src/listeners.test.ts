import assert from "node:assert/strict";
import { test } from "node:test";
import { Listeners } from "./listeners.ts";

test("a listener that throws is reported, and those after it are told all the same", () => {
  const reported: unknown[] = [];
  const told: string[] = [];
  const listeners = new Listeners<[string]>((error) => reported.push(error));
  const problem = new Error("broken");
  listeners.add(() => {
    throw problem;
  });
  const end = listeners.add((text) => told.push(text));
  listeners.tell("one");
  end();
  listeners.tell("two");
  assert.deepEqual(told, ["one"]);
  assert.deepEqual(reported, [problem, problem]);
});
