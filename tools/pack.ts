/**
 * `npm run pack [-- --to DIR]`: writes dist/capstan-<version>.tgz, one package that `npm i` and `npx capstan` take: the
 * programs in JavaScript, the page, the samples, and the shipped plugins. Dependencies are those of package-lock.json,
 * each at its version; a Node of the pinned version comes along as an optional one where npm has it for the platform.
 */
import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { collectProgram } from "./pack/collect-program.ts";
import { packageJson, packageReadme } from "./pack/describe-package.ts";
import { readPackage, readWorkspaces } from "./pack/workspaces.ts";

const { values } = parseArgs({ options: { to: { type: "string", default: "dist" } } });
const to = resolve(values.to);
process.chdir(fileURLToPath(new URL("..", import.meta.url)));

const workspaces = readWorkspaces();
const { files, folders } = collectProgram(["bin/capstan.js"], workspaces);
const stage = mkdtempSync(join(tmpdir(), "capstan-pack-"));
try {
  for (const [name, content] of files) write(name, content);
  for (const folder of folders) {
    // What tells Node that its files are modules, wherever the folder alone is shown to a program.
    write(join(folder, "package.json"), `${JSON.stringify({ type: "module" })}\n`);
    for (const data of globSync(`${folder}/src/**/*`, { exclude: ["**/testdata"] }))
      if (/\.(?:json|js|wasm|proto|gz|yaml|html)$/.test(data) && !files.has(data)) copy(data);
  }
  for (const whole of [
    "packages/ui/dist",
    "examples",
    "deploy/capstan",
    "deploy/crds",
    "LICENSE",
    "CHANGELOG.md",
  ])
    copy(whole);
  // What `plugin init` gives to plugins' authors.
  const kit = "packages/plugin-kit/npm";
  copy(join(kit, "package.json"));
  execFileSync("npm", ["pack", "--silent", "--pack-destination", join(stage, kit)], { cwd: kit });
  const used = [...workspaces.values()].filter(({ folder }) => folders.has(folder));
  const described = packageJson(readPackage("."), used);
  write("package.json", `${JSON.stringify(described, null, 2)}\n`);
  write("README.md", packageReadme(described.version));
  mkdirSync(to, { recursive: true });
  execFileSync("npm", ["pack", "--silent", "--pack-destination", to], { cwd: stage, stdio: "inherit" });
} finally {
  rmSync(stage, { recursive: true, force: true });
}

function write(name: string, content: string): void {
  mkdirSync(join(stage, dirname(name)), { recursive: true });
  writeFileSync(join(stage, name), content);
}

function copy(name: string): void {
  cpSync(name, join(stage, name), { recursive: true });
}
