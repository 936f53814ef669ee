import assert from "node:assert/strict";
import { test } from "node:test";
import { readPluginParameters } from "./plugin-parameters.ts";

test("texts, lists and maps by the form of the name; a stage's with a slash", () => {
  assert.deepEqual(
    readPluginParameters(["image=nginx", "hosts[]=a", "hosts[]=b", "labels[tier]=web", "helm/a.b=x=y"]),
    [
      { name: "image", string: "nginx" },
      { name: "hosts", array: ["a", "b"] },
      { name: "labels", map: { tier: "web" } },
      { name: "helm/a.b", string: "x=y" },
    ],
  );
});

test("what is no parameter is refused with what one looks like", () => {
  assert.throws(() => readPluginParameters(["image"]), /"image" is neither name=value/);
  assert.throws(() => readPluginParameters(["=x"]), /"=x" is neither/);
});
