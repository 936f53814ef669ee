import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { findInPackage } from "./chart-paths.ts";

let top = "";
before(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), "capstan-chart-paths-")));
  await mkdir(join(top, "package"));
  await mkdir(join(top, "charts/lamp"), { recursive: true });
  await writeFile(join(top, "secret"), "");
  await symlink(join(top, "secret"), join(top, "charts/link"));
});
after(() => rm(top, { recursive: true, force: true }));

const roots = () => ({
  root: join(top, "package"),
  mounts: [{ source: join(top, "charts"), target: "/tmp/charts" }],
});

test("what a mount gives is found by the path that a container has it at", async () => {
  for (const path of ["tmp/charts/lamp", "/tmp/charts/lamp"])
    assert.equal(await findInPackage(roots(), path, "chart"), join(top, "charts/lamp"));
  assert.equal(await findInPackage(roots(), "tmp/charts/none", "chart"), undefined);
  assert.equal(await findInPackage(roots(), "tmp/chartsX/lamp", "chart"), undefined);
});

test("nothing leads out of a mount or of the package", async () => {
  for (const path of ["/tmp/charts/../secret", "/tmp/charts/link", "/etc/hosts", "../secret"])
    await assert.rejects(findInPackage(roots(), path, "chart"), /lies outside of the package/);
});
