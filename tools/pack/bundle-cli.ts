import { chmodSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join, relative } from "node:path";
import { type Plugin, rolldown } from "rolldown";
import { readLicences } from "../../packages/cli/src/commands/plugin/bundle-plugin.ts";
import { cliPackageJson, cliReadme } from "./describe-package.ts";
import type { PackageFile } from "./workspaces.ts";

/** What renders or starts plugins on this machine, and what runs scripts in threads of its own. Paths from the top. */
const leftOut =
  /^packages\/cli\/src\/commands\/(?:plugin\/(?:build|dev|init|render|serve|test|local-plugin|local-render)|admin\/resource-override-[a-z-]+)\.ts$/;
/** The programs of Capstan: whatever this file loads when it is called. */
const programs = "processes/commands.ts";
const standIn = "processes/left-out.ts";

/**
 * Writes the package capstan-cli into a folder: the command line as JavaScript for Node 20 and later, with all packages
 * that it uses inside; a command's own files are loaded when it is called. Runs in the repository's top folder.
 */
export async function bundleCli(folder: string, top: PackageFile): Promise<void> {
  const { version } = top;
  await using bundle = await rolldown({
    input: { "older-node": "processes/older-node.ts", capstan: "processes/command-line.ts" },
    platform: "node",
    tsconfig: false,
    transform: { target: "node20" },
    plugins: [withoutRest(version)],
    checks: { ineffectiveDynamicImport: false },
  });
  const { output } = await bundle.write({
    dir: join(folder, "lib"),
    format: "esm",
    chunkFileNames: "[name]-[hash].js",
  });
  const chunks = output.flatMap((one) => (one.type === "chunk" ? [one] : []));
  const foreign = chunks
    .flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])
    .filter((name) => !isBuiltin(name) && !output.some(({ fileName }) => fileName === name));
  if (foreign.length > 0) throw new Error(`not in the bundle: ${[...new Set(foreign)].join(", ")}`);
  const parts = chunks
    .flatMap(({ modules }) => Object.keys(modules))
    .flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0] ?? []);
  writeFileSync(join(folder, "LICENSES"), await readLicences([...new Set(parts)].sort()));
  cpSync("LICENSE", join(folder, "LICENSE"));
  writeFileSync(join(folder, "README.md"), cliReadme(version));
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(cliPackageJson(top), null, 2)}\n`);
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin/capstan.js"), starter);
  chmodSync(join(folder, "bin/capstan.js"), 0o755);
}

const starter = `#!/usr/bin/env node
import { basename } from "node:path";
import "../lib/older-node.js";

const { runCommandLine } = await import("../lib/capstan.js");
process.exitCode = await runCommandLine(process.argv.slice(2), basename(process.argv[1] ?? "capstan"));
`;

function withoutRest(version: string): Plugin {
  const top = process.cwd();
  const fromTop = (id: string | undefined) => (id === undefined ? "" : relative(top, id));
  /** They read package.json where the sources lie. */
  const versions: Readonly<Record<string, string>> = {
    "packages/cli/src/version.ts": `export const clientVersion = async () => "v${version}";`,
    "processes/surroundings/own-process.ts": `export const ownVersion = () => "${version}";`,
  };
  return {
    name: "capstan-left-out",
    async resolveId(source, importer, extra) {
      const found = await this.resolve(source, importer, { ...extra, skipSelf: true });
      if (found === null || found.external) return found;
      const isProgram = extra.kind === "dynamic-import" && fromTop(importer) === programs;
      return isProgram || leftOut.test(fromTop(found.id)) ? join(top, standIn) : found;
    },
    load: (id) => versions[fromTop(id)] ?? null,
  };
}
