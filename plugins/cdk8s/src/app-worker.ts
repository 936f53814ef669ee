/**
 * A program of its own: loads cdk8s before there is an application, then runs one and ends. Arguments: the folder
 * that the application will stand in, and the folder that holds its node_modules.
 */
import { existsSync, readFileSync } from "node:fs";
import { createRequire, registerHooks } from "node:module";
import { extname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

interface Task {
  /** Directory of the application, from the folder. */
  readonly directory: string;
  readonly entry: string;
  readonly env: Readonly<Record<string, string>>;
}

const [folder = "", modules = ""] = process.argv.slice(2);
const extensions = [".ts", ".mts", ".cts", ".js", ".mjs", ".cjs", ".json", "/index.ts", "/index.js"];

function candidates(url: string): string[] {
  const plain = /\.(m|c)?js$/.test(url) ? [url.replace(/js$/, "ts")] : [];
  return [url, ...plain, ...extensions.map((extension) => url + extension)];
}

function isFile(url: string): boolean {
  const path = fileURLToPath(url);
  return existsSync(path) && extname(path) !== "";
}

registerHooks({
  /** Files are found as TypeScript finds them: without an extension, or with that of what they compile to. */
  resolve(specifier, context, next) {
    const { parentURL = "" } = context;
    const isOwn = parentURL.startsWith("file:") && !parentURL.includes("/node_modules/");
    if (!isOwn || !/^\.{1,2}(\/|$)/.test(specifier)) return next(specifier, context);
    const url = candidates(new URL(specifier, parentURL).href).find(isFile);
    return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
  },
  /** TypeScript has been made JavaScript already, under its own name. */
  load(url, context, next) {
    const kind = /\.(m|c)?ts$/.exec(url);
    if (!kind || url.includes("/node_modules/")) return next(url, context);
    const source = readFileSync(fileURLToPath(url), "utf8");
    const isModule = source.startsWith("/*module*/");
    return { format: isModule ? "module" : "commonjs", source, shortCircuit: true };
  },
});

function preload(): void {
  const manifest = join(modules, "package.json");
  const load = createRequire(manifest);
  const content: { dependencies?: object } = JSON.parse(readFileSync(manifest, "utf8"));
  for (const name of Object.keys(content.dependencies ?? {})) {
    if (!/^(constructs|cdk8s(-plus-\d+)?)$/.test(name)) continue;
    try {
      load(name);
    } catch (error) {
      // The application will meet the same, and tell where it asked for it.
      process.stderr.write(`${name}: ${error instanceof Error ? error.message : error}\n`);
    }
  }
}

/** The first place in the application's own files that a stack names; else the file that asked for a module. */
function placeOf(stack: string): { file?: string; line?: number } {
  const escaped = folder.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  for (const match of stack.matchAll(new RegExp(`${escaped}/([^\\s():]+):(\\d+)`, "g"))) {
    const [, file = "", line] = match;
    if (!file.includes("node_modules/")) return { file, line: Number(line) };
  }
  const asked = new RegExp(`(?:\\nRequire stack:\\n- | imported from )${escaped}/(\\S+)`).exec(stack)?.[1];
  return asked === undefined ? {} : { file: asked };
}

function fail(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const [problem = ""] = text.split(/\nRequire stack:| imported from /, 1);
  const failure = { problem: problem.replaceAll(folder, "."), ...placeOf(stack) };
  if (process.send) process.send(failure, () => process.exit(1));
  else process.exit(1);
}

process.on("uncaughtException", fail);
process.once("disconnect", () => process.exit(1));
process.once("message", ({ directory, entry, env }: Task) => {
  process.removeAllListeners("disconnect");
  // What is left to do then is the application's alone: without any, the program ends.
  process.channel?.unref();
  const cwd = join(folder, directory);
  process.chdir(cwd);
  for (const [name, value] of Object.entries(env)) process.env[name] = value;
  import(pathToFileURL(join(cwd, entry)).href).catch(fail);
});
preload();
