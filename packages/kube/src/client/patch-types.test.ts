import assert from "node:assert/strict";
import { test } from "node:test";
import { createPatchTypes } from "./patch-types.ts";

test("who no longer waits for a cluster's OpenAPI goes at once, and keeps nobody else from its answer", async () => {
  const answer = Promise.withResolvers<Record<string, unknown>>();
  let asked = 0;
  const json = () => {
    asked += 1;
    return answer.promise;
  };
  const raw = { json, send: () => Promise.reject(new Error("not asked for")) };
  const types = createPatchTypes({ raw, clock: { now: () => 0, sleep: () => Promise.resolve() } });
  const pod = { apiVersion: "v1", kind: "Pod" };
  const left = new AbortController();
  const leaving = types.of(pod, left.signal);
  const staying = types.of(pod, new AbortController().signal);
  left.abort(new Error("it was enough"));
  await assert.rejects(leaving, /it was enough/);
  answer.resolve({});
  assert.equal(await staying, undefined);
  assert.equal(asked, 1);
});
