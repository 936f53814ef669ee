import assert from "node:assert/strict";
import { test } from "node:test";
import { expectAgain, readYaml } from "./read-yaml.ts";
import { RecentTexts } from "./recent-texts.ts";

test("what was used longest ago goes when the room is full; a large text is not kept", () => {
  const texts = new RecentTexts<number>(30);
  for (const [index, text] of ["aaa", "bbb", "ccc", "ddd", "eee", "fff"].entries()) texts.set(text, index);
  texts.set("large", 9);
  texts.get("aaa");
  for (const text of ["ggg", "hhh", "iii", "jjj", "kkk"]) texts.set(text, 1);
  assert.deepEqual(
    ["aaa", "bbb", "large", "kkk"].map((text) => texts.get(text)),
    [0, undefined, undefined, 1],
  );
});

test("a text read again gives the same documents, and none that somebody has changed since", () => {
  const content = "# note\na: [1, {b: c}] # beside\n---\nkind: x\n";
  expectAgain(content);
  const first = readYaml("f", content);
  const asRead = structuredClone(first);
  const [document] = first;
  if (document?.root.kind === "mapping") document.root.entries.length = 0;
  const second = readYaml("f", content);
  assert.deepEqual(second, asRead);
  if (second[1]?.root.kind === "mapping") second[1].root.entries.pop();
  assert.deepEqual(readYaml("f", content), asRead);
});
