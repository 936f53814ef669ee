/**
 * `npm run testenv [group…]`: builds the real programs into testenv/bin/. A group is built again only when
 * the digest of its go.sum and go.mod differs from the one kept beside its programs.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Group, groups } from "./groups.ts";

const here = import.meta.dirname;
const bin = join(here, "bin");

function digestOf(group: Group): string {
  const hash = createHash("sha256").update(JSON.stringify(group));
  for (const file of ["go.mod", "go.sum"]) hash.update(readFileSync(join(here, group.name, file)));
  return hash.digest("hex");
}

function isBuilt(group: Group, digest: string): boolean {
  const mark = join(bin, `.${group.name}`);
  const programs = group.programs.every(({ name }) => existsSync(join(bin, name)));
  return programs && existsSync(mark) && readFileSync(mark, "utf8") === digest;
}

function build(group: Group): boolean {
  for (const program of group.programs) {
    const flags = group.ldflags ? ["-ldflags", group.ldflags] : [];
    const args = ["build", ...flags, "-o", join(bin, program.name), program.package];
    const started = performance.now();
    process.stdout.write(`${group.name}: ${program.name} … `);
    const { status, stderr } = spawnSync("go", args, { cwd: join(here, group.name), encoding: "utf8" });
    if (status !== 0) {
      console.log(`failed\n${stderr}`);
      return false;
    }
    console.log(`${((performance.now() - started) / 1000).toFixed(0)} s`);
    for (const link of program.links ?? []) {
      rmSync(join(bin, link), { force: true });
      symlinkSync(program.name, join(bin, link));
    }
  }
  return true;
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !groups.some((group) => group.name === name));
if (unknown.length > 0) {
  console.error(`no group ${unknown.join(", ")}; there are ${groups.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}
if (spawnSync("go", ["version"]).status !== 0) {
  console.error("Go 1.26 or newer is needed to build the real programs: install it and put it on PATH");
  process.exit(1);
}
mkdirSync(bin, { recursive: true });
let failed = 0;
for (const group of groups) {
  if (wanted.length > 0 && !wanted.includes(group.name)) continue;
  const digest = digestOf(group);
  if (isBuilt(group, digest)) {
    console.log(`${group.name}: up to date`);
    continue;
  }
  if (build(group)) writeFileSync(join(bin, `.${group.name}`), digest);
  else failed += 1;
}
process.exitCode = failed > 0 ? 1 : 0;
