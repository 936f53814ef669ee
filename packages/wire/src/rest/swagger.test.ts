import assert from "node:assert/strict";
import { test } from "node:test";
import { routes } from "./routes.ts";
import { swagger } from "./swagger.ts";

test("every call is described once, by grpc-gateway's name where it has one, with all it takes", () => {
  const { paths } = swagger("v1") as { paths: Record<string, Record<string, Record<string, unknown>>> };
  const ids = Object.values(paths).flatMap((calls) => Object.values(calls).map((call) => call.operationId));
  assert.equal(ids.length, Object.keys(routes).length);
  assert.equal(new Set(ids).size, ids.length);
  const update = paths["/api/v1/clusters/{id}"]?.put;
  assert.equal(update?.operationId, "ClusterService_Update");
  const parameters = JSON.stringify(update?.parameters);
  for (const part of [
    '"name":"id","in":"path","required":true',
    '"name":"updatedFields","in":"query"',
    "bearerToken",
  ])
    assert.ok(parameters.includes(part), part);
  assert.equal(paths["/api/version"]?.get?.security, undefined);
});
