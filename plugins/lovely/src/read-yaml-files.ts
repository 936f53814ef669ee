import { parsePlacedManifests } from "@capstan/model";
import {
  byWalkOrder,
  followLinks,
  type GeneratedManifest,
  type RenderContext,
  walk,
} from "@capstan/plugin-kit";

/** Names that begin with a dot are passed over, those of directories are not (yamlProcessor.go). */
const yamlName = /^[^.].*\.ya?ml$/;

interface YamlFile {
  readonly path: string;
  readonly text: string;
}

/** All YAML files below a directory, in the order of a walk. */
export async function readYamlFiles({ tree, path }: RenderContext): Promise<YamlFile[]> {
  const files: YamlFile[] = [];
  const all = (await walk(tree, path)).map((entry) => entry.path).sort(byWalkOrder);
  for (const file of all) {
    if (!yamlName.test(file.slice(file.lastIndexOf("/") + 1))) continue;
    const entry = await followLinks(tree, file);
    if (entry?.kind !== "file" && entry?.kind !== "executable") continue;
    files.push({ path: file, text: (await tree.read(entry)).toString() });
  }
  return files;
}

export function manifestsIn(files: readonly YamlFile[]): GeneratedManifest[] {
  return files.flatMap(({ path, text }) =>
    parsePlacedManifests(text, { file: path }).map(({ manifest, document, line }) => ({
      manifest,
      origin: { file: path, document, line },
    })),
  );
}

/** To the byte as lovely does: a file without a line end gets one where another follows. */
export function joinFiles(files: readonly YamlFile[]): string {
  return files
    .map(({ text }) => `---\n${text}`)
    .reduce((before, next) => {
      return before === "" || before.endsWith("\n") ? before + next : `${before}\n${next}`;
    }, "");
}
