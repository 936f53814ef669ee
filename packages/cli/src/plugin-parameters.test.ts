import assert from "node:assert/strict";
import { test } from "node:test";
import { checkChoices, readPluginParameters, unannounced } from "./plugin-parameters.ts";

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

test("a value that is none of the plugin's is refused with those there are", () => {
  const own = { name: "", plugin: "p", sensitive: false, parameters: [], env: [] };
  const label = { ...own, name: "label", announced: [{ name: "size", choices: ["small", "large"] }] };
  const helm = { ...own, name: "helm", announced: [{ name: "size", string: "1" }] };
  const check = (text: string, stages: (typeof label | typeof helm)[]) =>
    checkChoices(readPluginParameters([text]), { stages });
  assert.throws(() => check("size=huge", [label]), /size: "huge" is none of small, large/);
  assert.throws(() => check("label/size=huge", [helm, label]), /label\/size: "huge" is none of/);
  check("size=large", [label]);
  check("helm/size=huge", [helm, label]);
  check("other=huge", [label]);
});

test("a name that no plugin announces is told, with the one that was probably meant", () => {
  const own = { plugin: "p", sensitive: false, parameters: [], env: [] };
  const label = { ...own, name: "label", announced: [{ name: "size" }] };
  const silent = { ...own, name: "silent", announced: [] };
  const helm = { ...own, name: "helm", plugin: "helm", announced: [{ name: "colour" }] };
  const told = (text: string, stages: (typeof label | typeof silent | typeof helm)[]) =>
    unannounced(readPluginParameters([text]), { stages });
  assert.deepEqual(told("sice=1", [label]), [`p announces no parameter "sice"; did you mean size?`]);
  assert.deepEqual(told("label/other=1", [helm, label]), [`p announces no parameter "other"`]);
  for (const [text, stages] of [
    ["size=1", [label]],
    ["label/size=1", [helm, label]],
    ["helm/image.tag=1", [helm, label]],
    ["sice=1", [label, silent]],
    ["size=1", []],
  ] as const)
    assert.deepEqual(told(text, [...stages]), [], text);
});
