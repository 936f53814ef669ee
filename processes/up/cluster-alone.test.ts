import assert from "node:assert/strict";
import { test } from "node:test";
import { startCapstan } from "@capstan/testkit";

test("without controllers there is the cluster, and a page that opens when somebody looks", async () => {
  await using capstan = await startCapstan({ flags: ["--no-controllers"] });
  const definitions = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };
  const { items } = await capstan.kube.list(definitions, AbortSignal.timeout(100_000));
  assert.deepEqual(items, []);
  const page = await fetch(capstan.url, { headers: { accept: "text/html" } });
  assert.equal(page.status, 200);
  assert.match(await page.text(), /<title>/);
  assert.deepEqual(await (await fetch(`${capstan.url}/api/version`)).json(), { Version: "0.1.0" });
});
