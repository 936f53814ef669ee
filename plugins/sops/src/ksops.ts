import { basename } from "node:path/posix";
import { isRecord } from "@capstan/formats";
import { findReferences, readKustomization } from "@capstan/kustomizations";
import { CapstanError, parseYamlDocuments } from "@capstan/model";
import { joinWithin, parentOf, type SourceTree } from "@capstan/plugin-kit";

/** A kustomization without KSOPS's generators, which does the same once the files are decrypted in place. */
export interface Replacement {
  /** The kustomization, from the repository's root. */
  file: string;
  content: Record<string, unknown>;
  /** Files that the generators decrypt, from the repository's root. */
  encrypted: readonly string[];
}

const hashAnnotation = "kustomize.config.k8s.io/needs-hash";
const behaviorAnnotation = "kustomize.config.k8s.io/behavior";

/** In all directories with a kustomization that a build of `path` comes to. */
export async function findGenerators(tree: SourceTree, path: string): Promise<Replacement[]> {
  const { paths } = await findReferences(tree, path, []);
  const directories = new Set([path, ...paths, ...paths.map(parentOf)]);
  const replacements: Replacement[] = [];
  for (const directory of directories) {
    const kustomization = await readKustomization(tree, directory);
    const generators = kustomization?.content.generators;
    if (!kustomization || !Array.isArray(generators)) continue;
    const replaced = await replaceIn(tree, directory, generators);
    if (replaced.length === 0) continue;
    replacements.push(replacementOf(kustomization, directory, replaced));
  }
  return replacements;
}

interface Replaced {
  /** As the kustomization names it. */
  entry: unknown;
  definition: Record<string, unknown>;
  file: string;
}

async function replaceIn(
  tree: SourceTree,
  directory: string,
  entries: readonly unknown[],
): Promise<Replaced[]> {
  const replaced: Replaced[] = [];
  for (const entry of entries) {
    if (typeof entry !== "string") continue;
    const { text, file } = await readEntry(tree, directory, entry);
    const [definition, ...more] = parseYamlDocuments(text, { file })
      .map(({ value }) => value)
      .filter(isKsops);
    if (definition && more.length === 0) replaced.push({ entry, definition, file });
  }
  return replaced;
}

async function readEntry(tree: SourceTree, directory: string, entry: string) {
  if (entry.includes("\n")) return { text: entry, file: `${directory}/kustomization.yaml (generators)` };
  const file = joinWithin(directory, entry);
  const found = file === undefined ? undefined : await tree.entry(file);
  const isFile = found?.kind === "file" || found?.kind === "executable";
  return { text: found && isFile ? (await tree.read(found)).toString() : "", file: file ?? entry };
}

function isKsops(document: unknown): document is Record<string, unknown> {
  return (
    isRecord(document) &&
    document.kind === "ksops" &&
    String(document.apiVersion ?? "").startsWith("viaduct.ai/")
  );
}

function replacementOf(
  { path: file, content }: { path: string; content: Record<string, unknown> },
  directory: string,
  replaced: readonly Replaced[],
): Replacement {
  const gone = new Set(replaced.map(({ entry }) => entry));
  const generators = listOf(content.generators).filter((entry) => !gone.has(entry));
  const resources = replaced.flatMap(({ definition }) => textsIn(definition.files));
  const secrets = replaced.flatMap(secretsOf);
  const { generators: _generators, ...rest } = content;
  return {
    file,
    content: {
      ...rest,
      ...(generators.length > 0 ? { generators } : {}),
      resources: [...listOf(content.resources), ...resources],
      secretGenerator: [...listOf(content.secretGenerator), ...secrets.map(({ generator }) => generator)],
    },
    encrypted: [...resources, ...secrets.flatMap(({ files }) => files)].map((name) => {
      const inside = joinWithin(directory, name);
      if (inside === undefined) throw new CapstanError({ code: "PATH_OUTSIDE", path: name, field: "files" });
      return inside;
    }),
  };
}

/** `secretFrom` in the words of kustomize's own generator (KSOPS v4 ksops.go). */
function secretsOf({
  definition,
  file,
}: Replaced): { generator: Record<string, unknown>; files: string[] }[] {
  const { secretFrom, files } = definition;
  if (!Array.isArray(secretFrom) && !Array.isArray(files))
    throw new CapstanError({
      code: "MANIFEST_INVALID",
      file,
      problem: "a generator of kind ksops needs files or secretFrom",
    });
  return listOf(secretFrom)
    .filter(isRecord)
    .map((secret) => {
      const data = [...textsIn(secret.files), ...textsIn(secret.binaryFiles)].map(keyAndFile);
      const envs = textsIn(secret.envs);
      const generator = {
        ...namesOf(secret),
        type: typeof secret.type === "string" ? secret.type : "Opaque",
        ...(data.length > 0 ? { files: data.map(({ key, name }) => `${key}=${name}`) } : {}),
        ...(envs.length > 0 ? { envs } : {}),
      };
      return { generator, files: [...data.map(({ name }) => name), ...envs] };
    });
}

function namesOf({ metadata }: Record<string, unknown>): Record<string, unknown> {
  const { name, namespace, labels, annotations } = isRecord(metadata) ? metadata : {};
  const {
    [hashAnnotation]: needsHash,
    [behaviorAnnotation]: behavior,
    ...others
  } = isRecord(annotations) ? annotations : {};
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(behavior === undefined ? {} : { behavior }),
    options: {
      disableNameSuffixHash: String(needsHash) !== "true",
      ...(isRecord(labels) ? { labels } : {}),
      ...(Object.keys(others).length > 0 ? { annotations: others } : {}),
    },
  };
}

function keyAndFile(text: string): { key: string; name: string } {
  const at = text.indexOf("=");
  return at < 0 ? { key: basename(text), name: text } : { key: text.slice(0, at), name: text.slice(at + 1) };
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function textsIn(value: unknown): string[] {
  return listOf(value).filter((one) => typeof one === "string");
}
