import assert from "node:assert/strict";
import { test } from "node:test";
import { byRendezvous } from "./rendezvous.ts";

const keys = Array.from({ length: 3_000 }, (_, index) => `https://git.example.com/team/repo-${index}`);

test("each member has its share, whatever the order in which it was told of the others", () => {
  const members = ["10.0.0.1:8081", "10.0.0.2:8081", "10.0.0.3:8081"];
  const counts = new Map(members.map((member) => [member, 0]));
  for (const key of keys) {
    const [first = ""] = byRendezvous(key, members);
    assert.equal(first, byRendezvous(key, members.toReversed())[0]);
    counts.set(first, (counts.get(first) ?? 0) + 1);
  }
  for (const [member, count] of counts) assert.ok(count > 850 && count < 1_150, `${member}: ${count}`);
});

test("one that goes leaves its keys to those behind it, and moves no other", () => {
  const all = ["a", "b", "c", "d"];
  for (const key of keys) {
    const [first, second] = byRendezvous(key, all);
    const left = byRendezvous(key, ["a", "b", "c"]);
    assert.equal(left[0], first === "d" ? second : first);
  }
});
