import { dumpYaml } from "@capstan/formats/yaml";
import { CapstanError } from "@capstan/model";
import { type RenderContext, type Stage, type TreeEntry, writeBelow } from "@capstan/plugin-kit";
import {
  decryptFile,
  type Format,
  formatOf,
  type KeyServices,
  keyServices,
  looksEncrypted,
} from "@capstan/sops-files";
import { chosenFiles } from "./chosen-files.ts";
import { findGenerators } from "./ksops.ts";

type Env = Readonly<Record<string, string | undefined>>;

const maxFileBytes = 10 * 2 ** 20;

/** What the plugin prepares; `env` as in sops.ts. */
export async function decryptTree(context: RenderContext, stage: Stage, env: Env): Promise<void> {
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
