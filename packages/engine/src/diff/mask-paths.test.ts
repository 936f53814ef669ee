import assert from "node:assert/strict";
import { test } from "node:test";
import { annotationKeys, type Manifest } from "@capstan/model";
import { maskPaths } from "./mask-paths.ts";

const configMap = (data: Record<string, unknown>, more: object = {}): Manifest => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "c", ...more },
  data,
});
const paths = [["data", "password"]];

test("values at the paths are hidden in every version: equal ones look equal, others do not", () => {
  const target = configMap({ colour: "red", password: "new" });
  const masked = maskPaths(paths, target, configMap({ colour: "blue", password: "old" }), target);
  assert.deepEqual(
    masked.map((one) => one?.data),
    [
      { colour: "red", password: "++++++++" },
      { colour: "blue", password: "++++++++++++" },
      { colour: "red", password: "++++++++" },
    ],
  );
});

test("beside a secret, what only the cluster has is hidden; so is what was applied last", () => {
  const annotations = { [annotationKeys.lastApplied]: '{"data":{"password":"old"}}', own: "x" };
  const live = configMap({ password: "p", former: "secret" }, { annotations, uid: "u" });
  const [, masked] = maskPaths(paths, configMap({ password: "p" }), live);
  assert.deepEqual(masked?.data, { password: "++++++++", former: "++++++++" });
  assert.deepEqual(masked?.metadata, {
    name: "c",
    uid: "u",
    annotations: { [annotationKeys.lastApplied]: "++++++++", own: "x" },
  });
});

test("without paths nothing is touched, and an absent version stays absent", () => {
  const target = configMap({ a: "b" });
  assert.equal(maskPaths(undefined, target)[0], target);
  assert.equal(maskPaths(paths, target, undefined)[1], undefined);
});
