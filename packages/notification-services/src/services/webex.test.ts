import assert from "node:assert/strict";
import { test } from "node:test";
import { isEmail } from "./webex.ts";

test("who is told by an address, and which room by its id", () => {
  for (const email of ["a@b.c", "@@b.c", "ann.o@mail.example.com"]) assert.ok(isEmail(email), email);
  for (const room of ["", "Y2lzY29zcGFyazovL3Vz", "a@b", "@b.c", "a@.c", "a@b.", "a b@c.d"])
    assert.ok(!isEmail(room), room);
  assert.ok(!isEmail(`${"@.".repeat(200_000)} `));
});
