import type { Dirent } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Io } from "@capstan/cli/record";
import { messageOf, parsePlacedManifests } from "@capstan/model";
import type { GeneratedManifest } from "@capstan/plugin-kit";

/** Every YAML and JSON file below a folder, or standard input; all that cannot be read is told together. */
export async function readManifests(
  path: string,
  { signal, readInput }: Pick<Io, "signal" | "readInput">,
): Promise<GeneratedManifest[]> {
  if (path === "-") return parse(await readInput(), "standard input");
  const found = await stat(path).catch((error: unknown) => {
    throw new Error(`${path} cannot be read: ${messageOf(error)}`);
  });
  const files = found.isDirectory() ? await filesBelow(path) : [path];
  if (files.length === 0) throw new Error(`no YAML or JSON files were found in ${path}`);
  const problems: string[] = [];
  const manifests: GeneratedManifest[] = [];
  for (const file of files) {
    try {
      manifests.push(...parse(await readFile(file, { encoding: "utf8", signal }), file));
    } catch (error) {
      signal.throwIfAborted();
      problems.push(messageOf(error));
    }
  }
  if (problems.length > 0) throw new Error(`could not read YAML/JSON files:\n${problems.join("\n")}`);
  return manifests;
}

/** In filepath.Walk's order: folder by folder, names by their bytes, links to folders not followed. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.toSorted((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) found.push(...(await filesBelow(path)));
    else if (/\.(ya?ml|json)$/.test(entry.name) && (await isFile(entry, path))) found.push(path);
  }
  return found;
}

async function isFile(entry: Dirent, path: string): Promise<boolean> {
  return entry.isSymbolicLink() ? (await stat(path)).isFile() : entry.isFile();
}

function parse(text: string, file: string): GeneratedManifest[] {
  return parsePlacedManifests(text, { file }).map(({ manifest, document }) => ({
    manifest,
    origin: { file, document },
  }));
}
