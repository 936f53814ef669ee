import assert from "node:assert/strict";
import { test } from "node:test";
import { testPlugin } from "@capstan/plugin-kit";
import plugin from "./plugin.ts";

const program = `
import { ApiObject, Chart } from ${JSON.stringify(import.meta.resolve("cdk8s"))};
export default (app) => {
  const chart = new Chart(app, "web");
  new ApiObject(chart, "config", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" }, data: { a: "1" } });
};
`;

test("the charts of a cdk8s program become manifests", async () => {
  const { manifests } = await testPlugin(plugin, { path: "app", files: { "app/main.ts": program } });
  assert.deepEqual(
    manifests.map(({ kind, metadata, data }) => [kind, metadata.name, data]),
    [["ConfigMap", "web", { a: "1" }]],
  );
});

test("a program without a default function is refused with its file", async () => {
  await assert.rejects(
    testPlugin(plugin, { path: "app", files: { "app/main.ts": "export const nothing = 1;" } }),
    /plugin cdk8s failed in app\/main\.ts: it must export a function/,
  );
});
