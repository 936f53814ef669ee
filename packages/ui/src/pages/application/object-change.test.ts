import assert from "node:assert/strict";
import { test } from "node:test";
import { changeOf } from "./object-change.ts";

const object = '{"kind":"ConfigMap"}';
const diff = { kind: "ConfigMap", name: "a", resourceVersion: "" };

test("what is only on one side is missing, or no longer in git, however the server says so", () => {
  for (const absent of ["null", "", undefined]) {
    const none = absent === undefined ? {} : { liveState: absent };
    assert.equal(changeOf({ ...diff, ...none, targetState: object, modified: true }), "create");
    const untold = absent === undefined ? {} : { targetState: absent };
    assert.equal(changeOf({ ...diff, ...untold, liveState: object, modified: true }), "delete");
  }
  assert.equal(changeOf({ ...diff, targetState: object, liveState: object, modified: true }), "change");
  assert.equal(changeOf({ ...diff, targetState: object, liveState: object, modified: false }), undefined);
});
