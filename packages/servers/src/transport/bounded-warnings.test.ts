import assert from "node:assert/strict";
import { test } from "node:test";
import { boundedWarnings } from "./bounded-warnings.ts";
import { rpcText } from "./rpc-text.ts";

test("warnings are few and short, and text of any kind goes into a header", () => {
  const told: string[] = [];
  const warn = boundedWarnings((text) => told.push(rpcText(text)));
  for (let index = 0; index < 30; index += 1) warn(`${"x".repeat(299)}\u{1f984}`);
  assert.equal(told.length, 20);
  assert.equal(told[0], `${"x".repeat(299)}%EF%BF%BD`);
  assert.equal(rpcText("no key: 100 %"), "no key%3A 100 %25");
});
