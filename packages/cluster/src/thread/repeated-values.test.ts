import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { FromThread } from "./messages.ts";
import { withoutRepeats, withRepeats } from "./repeated-values.ts";

const done = (id: number, value: string | undefined): FromThread => ({ kind: "done", id, value });
const long = (letter: string) => letter.repeat(2_000);

test("of a text that crosses several times one crosses, and each who waits gets it", () => {
  const messages = [done(1, long("a")), done(2, "short"), done(3, long("a")), done(4, long("b"))];
  const crossing = withoutRepeats(messages);
  assert.deepEqual(crossing[2], { kind: "repeat", id: 3, of: 0 });
  assert.deepEqual(withRepeats(structuredClone(crossing)), messages);
});

test("whatever crosses arrives as it was sent, in its order", () => {
  const text = fc.constantFrom("", "short", ...[..."abcdefghijkl"].map(long));
  const failed = { kind: "failed", id: 7, problem: { message: "no", stack: undefined, code: undefined } };
  const answer = { status: 200, headers: {}, body: long("a") };
  const message = fc.oneof(
    fc.tuple(fc.nat(), fc.option(text, { nil: undefined })).map(([id, value]) => done(id, value)),
    fc.constant(failed as FromThread),
    fc.constant<FromThread>({ kind: "done", id: 8, value: answer }),
  );
  fc.assert(
    fc.property(fc.array(message), (messages) =>
      assert.deepEqual(withRepeats(structuredClone(withoutRepeats(messages))), messages),
    ),
  );
});
