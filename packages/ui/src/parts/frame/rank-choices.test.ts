import assert from "node:assert/strict";
import { test } from "node:test";
import { type Choice, rankChoices } from "./rank-choices.ts";

const choice = (label: string): Choice => ({ id: label, label, act: () => undefined });
const commands = ["Sync…", "Refresh", "Go to projects"].map(choice);
const apps = ["web", "my-web", "cobweb", "w-e-b", "guestbook"].map(choice);
const ranked = (text: string) => rankChoices(text, commands, apps).map(({ label }) => label);

test("whole names first, then starts of words, then anywhere, then letters in order", () => {
  assert.deepEqual(ranked("web"), ["web", "my-web", "cobweb", "w-e-b"]);
});

test("verbs are found like names", () => {
  assert.deepEqual(ranked("refr"), ["Refresh"]);
  assert.deepEqual(ranked("PROJ"), ["Go to projects"]);
});

test("without a text what can be done here comes first", () => {
  assert.deepEqual(ranked(" ").slice(0, 4), ["Sync…", "Refresh", "Go to projects", "web"]);
});
