import assert from "node:assert/strict";
import { test } from "node:test";
import { parseYaml } from "@capstan/model";
import { readCustomizations } from "./read-customizations.ts";
import { ValueReader } from "./read-values.ts";
import type { SettingsProblem } from "./settings.ts";

function read(raw: Record<string, string>) {
  const problems: SettingsProblem[] = [];
  const reader = new ValueReader("ConfigMap argocd-cm", raw, problems);
  const block = parseYaml(raw["resource.customizations"] ?? "");
  return {
    found: readCustomizations(reader, { block, raw }),
    problems: problems.map((one) => `${one.field} ${one.problem}`),
  };
}

test("the old block and the keys of their own say the same", () => {
  const block = read({
    "resource.customizations": `
"*.crossplane.io/*":
  health.lua: return 1
  health.lua.useOpenLibs: true
Pod:
  actions: |
    discovery.lua: return {}
    mergeBuiltinActions: true
    definitions:
    - name: ping
      action.lua: return obj
`,
  });
  assert.deepEqual(block.problems, []);
  assert.deepEqual(block.found, [
    {
      pattern: "*.crossplane.io/*",
      health: {
        key: "resource.customizations: *.crossplane.io/*: health.lua",
        script: "return 1",
        openLibs: true,
      },
    },
    {
      pattern: "Pod",
      actions: {
        key: "resource.customizations: Pod: actions",
        discovery: "return {}",
        definitions: [{ name: "ping", script: "return obj" }],
        mergesBuiltIn: true,
      },
    },
  ]);
  const split = read({
    "resource.customizations.health.cert-manager.io_Certificate": "return 2",
    "resource.customizations.useOpenLibs.cert-manager.io_Certificate": "true",
    "resource.customizations.health.all": "return 3",
    "resource.customizations.ignoreDifferences.all": "jsonPointers: [/a]",
  });
  assert.deepEqual(split.problems, []);
  assert.deepEqual(split.found, [
    {
      pattern: "cert-manager.io/Certificate",
      health: {
        key: "resource.customizations.health.cert-manager.io_Certificate",
        script: "return 2",
        openLibs: true,
      },
    },
    {
      pattern: "*/*",
      health: { key: "resource.customizations.health.all", script: "return 3", openLibs: false },
    },
  ]);
});

test("a key of its own goes before the block", () => {
  const { found } = read({
    "resource.customizations": "apps/Deployment: { health.lua: return 1, health.lua.useOpenLibs: true }",
    "resource.customizations.health.apps_Deployment": "return 2",
  });
  assert.deepEqual(
    found.map(({ health }) => [health?.script, health?.openLibs]),
    [["return 2", true]],
  );
});

test("what cannot be read is said with its key", () => {
  const { found, problems } = read({
    "resource.customizations": "Pod: { health.lua: [1], health.lua.useOpenLibs: 5 }\nService: 3",
    "resource.customizations.health.a_b_c": "return 1",
    "resource.customizations.useOpenLibs.Pod": "perhaps",
    "resource.customizations.actions.Pod": "definitions: [{ name: x }]",
    "resource.customizations.actions.Service": "{",
  });
  assert.deepEqual(
    found.map(({ pattern, actions }) => [pattern, actions?.definitions.length]),
    [["Pod", 0]],
  );
  assert.match(problems.join("\n"), /Pod: health.lua is not a text/);
  assert.match(problems.join("\n"), /Pod: health.lua.useOpenLibs is neither true nor false/);
  assert.match(problems.join("\n"), /Service is not an object/);
  assert.match(problems.join("\n"), /health.a_b_c is not <group>_<Kind>/);
  assert.match(problems.join("\n"), /useOpenLibs.Pod/);
  assert.match(problems.join("\n"), /actions.Pod a definition has no name/);
  assert.match(problems.join("\n"), /actions.Service/);
});
