import {
  fieldAt,
  mapping,
  readYaml,
  type SeqIndent,
  seqIndentOf,
  text,
  type YamlNode,
} from "@capstan/krm-yaml";
import { CapstanError } from "@capstan/model";
import { annotateQuoted, type Item, matchSpellings, notes } from "./item.ts";
import { type PackageFiles, resourceFiles } from "./package-tree.ts";

/** Key under which a document that is a list is kept while it is in hand. */
export const bareSequenceKey = "bareSeqNodeWrappingKey";

/** A package's own resources with their file noted on each, as kyaml reads them (kio LocalPackageReader). */
export function readResources(
  files: PackageFiles,
  pkg: string,
  options: { withSubpackages?: boolean; packagePath?: string } = {},
): Item[] {
  const items: Item[] = [];
  const prefix = pkg === "" ? "" : `${pkg}/`;
  for (const file of resourceFiles(files, pkg, options)) {
    const place = { path: file.slice(prefix.length), packagePath: options.packagePath };
    items.push(...readDocuments(file, files.get(file) ?? "", place));
  }
  return items;
}

/** The resources of one text with what is known of their place noted on each; `file` is named in errors. */
export function readDocuments(file: string, content: string, place: Place = {}): Item[] {
  return readYaml(file, content).map(({ root, head, foot, source }, index) => {
    const item: Item = { root: wrap(root, file), head, foot };
    note(item, { ...place, index: String(index), seqIndent: seqIndentOf(source) });
    return item;
  });
}

function wrap(root: YamlNode, file: string): Item["root"] {
  if (root.kind === "mapping") return root;
  if (root.kind === "sequence") return mapping([{ key: text(bareSequenceKey), value: root }]);
  throw new CapstanError({
    code: "YAML_INVALID",
    file,
    problem: "a document must be an object; this is a single value",
  });
}

interface Place {
  path?: string | undefined;
  packagePath?: string | undefined;
}

interface Notes extends Place {
  index: string;
  seqIndent: SeqIndent;
}

function note(item: Item, { path, index, packagePath, seqIndent }: Notes): void {
  const metadata = fieldAt(item.root, "metadata");
  if (metadata && metadata.kind !== "mapping") return;
  matchSpellings(item);
  annotateQuoted(item, notes.legacyIndex, index);
  if (path !== undefined) annotateQuoted(item, notes.legacyPath, path);
  annotateQuoted(item, notes.index, index);
  if (packagePath !== undefined) annotateQuoted(item, notes.packagePath, packagePath);
  if (path !== undefined) annotateQuoted(item, notes.path, path);
  annotateQuoted(item, notes.seqIndent, seqIndent);
}
