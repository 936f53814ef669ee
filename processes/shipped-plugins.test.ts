import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

const program = join(import.meta.dirname, "..", "bin", "capstan.js");
const top = mkdtempSync(join(tmpdir(), "capstan-shipped-"));
after(() => rmSync(top, { recursive: true, force: true }));

function render(plugin: string, files: Record<string, string>, env: Record<string, string> = {}) {
  const folder = join(top, plugin);
  mkdirSync(folder, { recursive: true });
  for (const [path, content] of Object.entries(files)) writeFileSync(join(folder, path), content);
  const args = [program, "plugin", "render", "--plugin", plugin, "--source", top, "--path", plugin];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...args, "-o", "json"], {
    env: { PATH: process.env.PATH, HOME: top, ...env },
    encoding: "utf8",
    timeout: 250_000,
  });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

const map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\ndata: {x: '1'}\n";

test("plugins that ship render a folder without a cluster: capstan plugin render --plugin lovely", () => {
  const merge = { LOVELY_KUSTOMIZE_MERGE: "namePrefix: a-" };
  const files = { "one.yaml": map, "kustomization.yaml": "resources: [one.yaml]\n" };
  const [made] = render("lovely", files, merge);
  assert.equal(made.metadata.name, "a-one");
});

test("one that only changes manifests is a stage behind the tool that the folder is for", () => {
  const [made] = render("vault", { "one.yaml": map }, { AVP_TYPE: "vault" });
  assert.deepEqual(made.data, { x: "1" });
});
