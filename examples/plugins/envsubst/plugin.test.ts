import assert from "node:assert/strict";
import { test } from "node:test";
import { testPlugin } from "@capstan/plugin-kit";
import plugin from "./plugin.ts";

const config = (value: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "web" },
  data: { value },
});

test("variables of the application and of the protocol are filled in; other texts stay", async () => {
  const { manifests } = await testPlugin(plugin, {
    manifests: [config("$" + "{WHO} in $" + "{ARGOCD_APP_NAME}"), config("costs 5$")],
    variables: { WHO: "Ada" },
  });
  assert.deepEqual(
    manifests.map(({ data }) => data),
    [{ value: "Ada in test" }, { value: "costs 5$" }],
  );
});

test("a variable that nobody sets is refused with the object that has it", async () => {
  await assert.rejects(
    testPlugin(plugin, { manifests: [config("$" + "{WHO}")] }),
    /plugin envsubst failed: ConfigMap web: nobody sets \$\{WHO\}/,
  );
});
