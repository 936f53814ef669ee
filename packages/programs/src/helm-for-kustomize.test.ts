import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { chartsBelow, helmForKustomize } from "./helm-for-kustomize.ts";

test("kustomize's helm takes charts and values of the repository alone, wherever a generator says they lie", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "capstan-helm-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [root, scratch, outside] = ["root", "scratch", "root-of-others"].map((name) => join(folder, name));
  assert.ok(root && scratch && outside);
  for (const one of [join(root, "charts/own"), scratch, join(outside, "chart")])
    mkdirSync(one, { recursive: true });
  for (const one of [join(scratch, "v.yaml"), join(outside, "v.yaml")]) writeFileSync(one, "");
  symlinkSync(outside, join(root, "charts/link"));
  const real = join(folder, "helm");
  writeFileSync(real, '#!/bin/sh\necho "ran $1"\n', { mode: 0o755 });
  const helm = await helmForKustomize(real, join(folder, "kept"));
  const run = (args: readonly string[], env: Record<string, string> = { [chartsBelow]: root }) =>
    spawnSync(helm, args, {
      encoding: "utf8",
      env: { PATH: process.env.PATH ?? "", TMPDIR: scratch, ...env },
    });
  const own = join(root, "charts/own");
  assert.equal(run(["template", "r", own, "-f", join(scratch, "v.yaml")]).stdout, "ran template\n");
  for (const args of [
    ["template", "r", join(outside, "chart")],
    ["template", "r", join(root, "charts/link/chart")],
    ["template", "r", join(root, "../root-of-others/v.yaml")],
    ["template", "r", own, "-f", join(outside, "v.yaml")],
  ]) {
    const { status, stderr } = run(args);
    assert.equal(status, 1, args.join(" "));
    assert.match(stderr, /leads out of the repository/);
  }
  assert.equal(
    run(["template", "r", outside], {}).stdout,
    "ran template\n",
    "a plugin's command reads what it may",
  );
  assert.equal(run(["pull", "x"]).status, 1);
});
