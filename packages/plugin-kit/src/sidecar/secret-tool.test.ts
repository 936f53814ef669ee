import assert from "node:assert/strict";
import { test } from "node:test";
import { secretTool } from "./secret-tool.ts";

const toolOf = (...command: string[]) =>
  secretTool({
    apiVersion: "argoproj.io/v1alpha1",
    kind: "ConfigManagementPlugin",
    metadata: { name: "any" },
    spec: { generate: { command } },
  });

const facts: [string[], string | undefined][] = [
  [["sh", "-c", "kustomize build . | argocd-vault-plugin generate -"], "argocd-vault-plugin"],
  [["/usr/local/bin/sops", "-d", "secrets.yaml"], "sops"],
  [["sh", "-c", "helm template . | vals eval -f -"], "vals"],
  [["helm", "template", "-f", "secrets://values.yaml", "."], "secrets"],
  [["kustomize", "build", "--enable-alpha-plugins", "."], "enable-alpha-plugins"],
  [["sh", "-c", "op inject -i template.yaml"], "op inject"],
  [["helm", "template", "."], undefined],
  [["sh", "-c", "cat my-vault/values.yaml intervals.yaml"], undefined],
];

for (const [command, tool] of facts)
  test(`${command.join(" ")}: ${tool ?? "none"}`, () => {
    assert.equal(toolOf(...command), tool);
  });
