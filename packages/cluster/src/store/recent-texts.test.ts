import assert from "node:assert/strict";
import { test } from "node:test";
import { RecentTexts } from "./recent-texts.ts";

test("no more is kept than there is room for, and what was read last stays", () => {
  using texts = new RecentTexts({ mostCharacters: 100 });
  for (let row = 1; row <= 50; row += 1) texts.keep(row, "x".repeat(10));
  const kept = Array.from({ length: 50 }, (_, index) => index + 1).filter((row) => texts.get(row));
  assert.ok(kept.length >= 5 && kept.length <= 10, String(kept));
  assert.equal(kept.at(-1), 50);
});

test("a text that is larger than the room is kept alone, and one that was forgotten is not told", () => {
  using texts = new RecentTexts({ mostCharacters: 100 });
  texts.keep(1, "a");
  texts.keep(2, "b".repeat(1_000));
  assert.equal(texts.get(2)?.length, 1_000);
  for (const row of [1, 2]) texts.forget(row);
  assert.deepEqual([texts.get(1), texts.get(2)], [undefined, undefined]);
});

test("nothing is held once nobody reads", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  using texts = new RecentTexts({ mostCharacters: 100 });
  texts.keep(1, "a");
  t.mock.timers.tick(4_000);
  assert.equal(texts.get(1), "a");
  t.mock.timers.tick(1_001);
  assert.equal(texts.get(1), undefined);
});
