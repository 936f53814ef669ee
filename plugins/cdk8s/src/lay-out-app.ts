import { cp } from "node:fs/promises";
import { join } from "node:path";
import { isRecord, parseJson } from "@capstan/formats";
import { CapstanError, messageOf } from "@capstan/model";
import {
  followLinks,
  linkBelow,
  parentOf,
  type RenderContext,
  type SourceTree,
  type TreeEntry,
  walk,
  writeBelow,
} from "@capstan/plugin-kit";
import { transform } from "sucrase";
import { inDirectory } from "./app-file.ts";

const maxScriptBytes = 16 * 2 ** 20;
const maxKeptBytes = 64 * 2 ** 20;

/** JavaScript by digest and kind of the TypeScript that it was, oldest first. */
const made = new Map<string, string>();
let madeBytes = 0;

/** Puts the workspace's files where a warm process will run them: TypeScript as JavaScript, line for line. */
export async function layOutApp(
  { tree, path }: RenderContext,
  { root, folder, modules, packages }: { root: string; folder: string; modules: string; packages: string },
): Promise<void> {
  await cp(root, folder, { recursive: true, verbatimSymlinks: true });
  for (const entry of await walk(tree, path)) {
    if (!/\.[mc]?ts$/.test(entry.name) || /\.d\.[mc]?ts$/.test(entry.name)) continue;
    if (entry.kind !== "file" && entry.kind !== "executable") continue;
    if (entry.path.includes("node_modules/") || (await tree.size(entry)) > maxScriptBytes) continue;
    writeBelow(folder, entry.path, await asJavaScript(tree, entry));
  }
  linkBelow(folder, inDirectory(packages, "node_modules"), join(modules, "node_modules"));
}

async function asJavaScript(tree: SourceTree, entry: TreeEntry): Promise<string> {
  const isModule = await isModuleFile(tree, entry);
  const key = `${isModule} ${entry.digest}`;
  const known = made.get(key);
  if (known !== undefined) return known;
  const text = (await tree.read(entry)).toString();
  const code = compile(text, entry.path, isModule);
  made.set(key, code);
  madeBytes += code.length;
  for (const [oldest, { length }] of made) {
    if (madeBytes <= maxKeptBytes) break;
    made.delete(oldest);
    madeBytes -= length;
  }
  return code;
}

function compile(text: string, file: string, isModule: boolean): string {
  try {
    const transforms = isModule ? (["typescript"] as const) : (["typescript", "imports"] as const);
    const { code } = transform(text, { transforms: [...transforms], filePath: file });
    return isModule ? `/*module*/${code}` : code;
  } catch (error) {
    const [, problem = messageOf(error), line] =
      /^(?:Error transforming [^:]*: )?(.*?) \((\d+):\d+\)$/.exec(messageOf(error)) ?? [];
    const place = line === undefined ? {} : { line: Number(line) };
    throw new CapstanError({ code: "PLUGIN_FAILED", plugin: "cdk8s", file, ...place, problem }, error);
  }
}

/** As Node tells: by the name, else by `type` of the nearest package.json. */
async function isModuleFile(tree: SourceTree, { path }: TreeEntry): Promise<boolean> {
  if (path.endsWith(".mts")) return true;
  if (path.endsWith(".cts")) return false;
  for (let directory = parentOf(path); ; directory = parentOf(directory)) {
    const entry = await followLinks(tree, inDirectory(directory, "package.json"));
    if (entry?.kind === "file") {
      const content = parseJson((await tree.read(entry)).toString());
      return isRecord(content) && content.type === "module";
    }
    if (directory === "") return false;
  }
}
