/**
 * `npm run pack [-- --to DIR]`: writes dist/capstan-<version>.tgz, one package that `npm i` and `npx capstan` take: the
 * programs in JavaScript, bundled, and file by file for what plugins' own processes load, the page, the samples, and
 * the shipped plugins. Dependencies are those of package-lock.json, each at its version; a Node of the pinned version
 * comes along as an optional one where npm has it for the platform.
 * Beside it dist/capstan-cli-<version>.tgz, the command line alone without any dependency; not with --without-cli.
 */
import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { programFlags } from "@capstan/testkit/program-flags";
import { bundleCli } from "./pack/bundle-cli.ts";
import { bundleProgram } from "./pack/bundle-program.ts";
import { collectProgram, packedName } from "./pack/collect-program.ts";
import { packageJson, packageReadme } from "./pack/describe-package.ts";
import { readPackage, readWorkspaces } from "./pack/workspaces.ts";

const { values } = programFlags({
  options: { to: { type: "string", default: "dist" }, "without-cli": { type: "boolean" } },
});
const to = resolve(values.to);
process.chdir(fileURLToPath(new URL("..", import.meta.url)));

const workspaces = readWorkspaces();
const { files, folders } = collectProgram(["bin/capstan.js"], workspaces);
const stage = mkdtempSync(join(tmpdir(), "capstan-pack-"));
const cliStage = mkdtempSync(join(tmpdir(), "capstan-pack-cli-"));
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
  const top = readPackage(".");
  const described = packageJson(top, used);
  write("package.json", `${JSON.stringify(described, null, 2)}\n`);
  write("README.md", packageReadme(described.version));
  await bundleProgram({ top: stage, nameOf: packedName, datesSources: false });
  mkdirSync(to, { recursive: true });
  pack(stage);
  if (!values["without-cli"]) {
    await bundleCli(cliStage, top);
    pack(cliStage);
  }
} finally {
  for (const folder of [stage, cliStage]) rmSync(folder, { recursive: true, force: true });
}

function pack(folder: string): void {
  execFileSync("npm", ["pack", "--silent", "--pack-destination", to], { cwd: folder, stdio: "inherit" });
}

function write(name: string, content: string): void {
  mkdirSync(join(stage, dirname(name)), { recursive: true });
  writeFileSync(join(stage, name), content);
}

function copy(name: string): void {
  cpSync(name, join(stage, name), { recursive: true });
}
