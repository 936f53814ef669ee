import assert from "node:assert/strict";
import { test } from "node:test";
import { readFormerPlugins } from "./former-plugins.ts";

test("each entry becomes the plugin.yaml that stands for it", () => {
  const text = `- name: kasane
  init: {command: [kasane, update]}
  generate: {command: [kasane, show]}
  lockRepo: true
`;
  assert.deepEqual(readFormerPlugins(text), [
    {
      apiVersion: "argoproj.io/v1alpha1",
      kind: "ConfigManagementPlugin",
      metadata: { name: "kasane" },
      spec: {
        init: { command: ["kasane", "update"] },
        generate: { command: ["kasane", "show"] },
        lockRepo: true,
      },
    },
  ]);
  assert.deepEqual(readFormerPlugins(""), []);
});

const wrong: [string, RegExp][] = [
  ["name: kasane", /must be a list of plugins/],
  ["- kasane", /entry 1.*must be an object/],
  ["- generate: {command: [a]}", /entry 1.*name: must be letters/],
  ["- {name: ../a, generate: {command: [a]}}", /entry 1.*name: must be letters/],
  ["- name: a\n- name: b", /entry 1 \(a\).*generate\.command: is missing/],
  ["- &a {name: a, generate: {command: [x]}}\n- *a", /"a" is there twice/],
];

for (const [text, message] of wrong)
  test(`refused: ${JSON.stringify(text)}`, () => {
    assert.throws(() => readFormerPlugins(text), message);
  });
