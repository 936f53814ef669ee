import { CapstanError, dumpYaml } from "@capstan/model";
import {
  compileGlob,
  type Inputs,
  inProcessPlugin,
  type Plugin,
  type RenderContext,
  relativeTo,
  type Stage,
  type TreeEntry,
  walk,
  writeBelow,
} from "@capstan/plugin-kit";
import { findReferences } from "../kustomize/references.ts";
import type { KeyServices } from "./data-key.ts";
import { decryptFile } from "./decrypt-file.ts";
import { type Format, formatOf, looksEncrypted } from "./encrypted-file.ts";
import { keyServices } from "./keys/key-services.ts";
import { findGenerators } from "./ksops.ts";

type Env = Readonly<Record<string, string | undefined>>;

const maxFileBytes = 10 * 2 ** 20;
const defaultGlobs = ["**"];

/**
 * Decrypts the files that SOPS encrypted, in place, for the stages that follow: value files, variables of kustomize's
 * generators, whole documents. KSOPS's generators become what kustomize can do itself, so that no exec has to be
 * allowed. Keys are found by the variables that sops reads in `env`.
 */
export function sops(env: Env): Plugin {
  return inProcessPlugin({
    name: "sops",
    sensitive: true,
    parameters: [
      {
        name: "files",
        title: "Files to decrypt",
        tooltip: "Globs from the application's directory; files that sops did not encrypt are left alone",
        collectionType: "array",
        array: [...defaultGlobs],
      },
    ],
    inputs,
    prepare: (context, stage) => prepare(context, stage, env),
  });
}

async function inputs(context: RenderContext): Promise<Inputs> {
  const { tree, path } = context;
  const references = await findReferences(tree, path, []);
  const entries = await chosenFiles(context);
  const paths = [path, ...references.paths, ...entries.map((entry) => entry.path)];
  return { paths: [...new Set(paths)], refs: {}, facts: { path, globs: globsOf(context) } };
}

async function prepare(context: RenderContext, stage: Stage, env: Env): Promise<void> {
  const { root } = await stage.workspace();
  const replacements = await findGenerators(context.tree, context.path);
  const entries = new Map((await chosenFiles(context)).map((entry) => [entry.path, entry]));
  for (const file of replacements.flatMap((one) => one.encrypted)) {
    const entry = await context.tree.entry(file);
    if (!entry) throw new CapstanError({ code: "FILE_MISSING", file, neededBy: "a generator of kind ksops" });
    entries.set(file, entry);
  }
  const services = keyServices(env, stage.clock, context.secretStores);
  const plain = async (entry: TreeEntry) => {
    const decrypted = await decryptEntry(context, entry, { services, signal: stage.signal });
    if (decrypted) writeBelow(root, entry.path, { data: decrypted, mode: 0o600 });
  };
  for (const entry of entries.values()) await plain(entry);
  for (const { file, content } of replacements) writeBelow(root, file, dumpYaml(content));
}

async function decryptEntry(
  { tree }: RenderContext,
  entry: TreeEntry,
  { services, signal }: { services: KeyServices; signal: AbortSignal },
): Promise<Buffer | undefined> {
  if ((await tree.size(entry)) > maxFileBytes) return undefined;
  const text = (await tree.read(entry)).toString();
  const format = formatIn(entry.path, text);
  return format && decryptFile(text, { file: entry.path, format, services, signal });
}

/** By the file's name as sops does; a file with another name may be JSON around something binary, or YAML. */
function formatIn(path: string, text: string): Format | undefined {
  const format = formatOf(path);
  if (looksEncrypted(text, format)) return format;
  return undefined;
}

async function chosenFiles(context: RenderContext): Promise<TreeEntry[]> {
  const { tree, path } = context;
  const found: TreeEntry[] = [];
  for (const glob of globsOf(context)) {
    const ups = /^(\.\.\/)*/.exec(glob)?.[0] ?? "";
    const base = upFrom(path, ups.length / 3, glob);
    const matches = compileGlob(glob.slice(ups.length), "path");
    for (const entry of await walk(tree, base))
      if (isFile(entry) && matches(relativeTo(base, entry.path))) found.push(entry);
  }
  return found;
}

function isFile({ kind }: TreeEntry): boolean {
  return kind === "file" || kind === "executable";
}

function upFrom(path: string, levels: number, glob: string): string {
  const parts = path === "" ? [] : path.split("/");
  if (levels > parts.length) throw new CapstanError({ code: "PATH_OUTSIDE", path: glob, field: "files" });
  return parts.slice(0, parts.length - levels).join("/");
}

function globsOf({ source }: RenderContext): readonly string[] {
  const given = source.plugin?.parameters?.find(({ name }) => name === "files");
  if (given?.string) return [given.string];
  return given?.array && given.array.length > 0 ? given.array : defaultGlobs;
}
