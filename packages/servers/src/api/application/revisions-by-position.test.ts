import assert from "node:assert/strict";
import { test } from "node:test";
import { revisionsByPosition } from "./revisions-by-position.ts";

test("revisions stand at the positions of their sources, which count from 1", () => {
  assert.deepEqual(revisionsByPosition(3, { revisions: ["v3", "v1"], sourcePositions: [3, 1] }), [
    "v1",
    undefined,
    "v3",
  ]);
  assert.deepEqual(revisionsByPosition(2, {}), [undefined, undefined]);
});

test("a position without a source is refused: no answer is made as long as a stranger's number", () => {
  for (const position of [0, -1, 3, 2 ** 32 - 1, Number.MAX_SAFE_INTEGER])
    assert.throws(() => revisionsByPosition(2, { revisions: ["v1"], sourcePositions: [position] }), {
      code: "INVALID_ARGUMENT",
      message: `sourcePositions: there is no source ${position}; the application has 2`,
    });
});
