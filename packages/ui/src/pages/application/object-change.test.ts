import assert from "node:assert/strict";
import { test } from "node:test";
import { changeOf } from "./object-change.ts";

const object = '{"kind":"ConfigMap"}';
const diff = { kind: "ConfigMap", name: "a" };

test("what is only on one side is missing, or no longer in git, however the server says so", () => {
  for (const absent of ["null", "", undefined]) {
    const none = absent === undefined ? {} : { normalizedLiveState: absent };
    assert.equal(changeOf({ ...diff, ...none, predictedLiveState: object }), "create");
    const untold = absent === undefined ? {} : { predictedLiveState: absent };
    assert.equal(changeOf({ ...diff, ...untold, normalizedLiveState: object }), "delete");
  }
  assert.equal(changeOf({ ...diff, predictedLiveState: object, normalizedLiveState: object }), "change");
});
