import {
  copyNode,
  ensureMapping,
  entryOf,
  fieldAt,
  isNull,
  isPlainText,
  type MappingNode,
  removeField,
  type SeqIndent,
  scalar,
  text,
  textAt,
  textsAt,
} from "@capstan/krm-yaml";
import { groupOf, versionOf } from "@capstan/model";

/** A resource on its way through functions, with the comments above and below its document. */
export interface Item {
  root: MappingNode;
  head: string;
  foot: string;
}

const internal = "internal.config.kubernetes.io/";

/** Where a resource comes from and goes to, and what else kyaml notes on it (kio/kioutil); both spellings are kept. */
export const notes = {
  path: `${internal}path`,
  index: `${internal}index`,
  seqIndent: `${internal}seqindent`,
  packagePath: `${internal}package-path`,
  id: `${internal}id`,
  kptId: `${internal}kpt-resource-id`,
  migrationId: `${internal}annotations-migration-resource-id`,
  legacyPath: "config.kubernetes.io/path",
  legacyIndex: "config.kubernetes.io/index",
  legacyId: "config.k8s.io/id",
} as const;

export const localConfig = "config.kubernetes.io/local-config";

export function copyItem({ root, head, foot }: Item): Item {
  return { root: copyNode(root), head, foot };
}

export function annotationOf({ root }: Item, key: string): string {
  return textAt(root, "metadata", "annotations", key);
}

export function annotate({ root }: Item, key: string, value: string): void {
  const annotations = ensureMapping(root, "metadata", "annotations");
  if (!annotations) return;
  const style = isPlainText(value) ? "plain" : "double";
  const old = entryOf(annotations, key)?.value;
  if (old?.kind === "scalar")
    Object.assign(old, { value, style: old.style === "plain" ? style : old.style, tag: "" });
  else if (old) Object.assign(old, scalar(value, style));
  else annotations.entries.push({ key: text(key), value: scalar(value, style) });
}

/** The same in single quotes, as kyaml writes all that it notes itself (yaml AnnotationSetter). */
export function annotateQuoted(item: Item, key: string, value: string): void {
  annotate(item, key, value);
  const written = fieldAt(item.root, "metadata", "annotations", key);
  if (written?.kind === "scalar") written.style = "single";
}

export function clearAnnotation({ root }: Item, key: string): void {
  removeField(fieldAt(root, "metadata", "annotations"), key);
}

/** An empty annotations field goes too (kyaml ClearEmptyAnnotations). */
export function clearEmptyAnnotations({ root }: Item): void {
  const annotations = fieldAt(root, "metadata", "annotations");
  if (annotations?.kind === "mapping" ? annotations.entries.length === 0 : annotations && isNull(annotations))
    removeField(fieldAt(root, "metadata"), "annotations");
  const metadata = fieldAt(root, "metadata");
  if (metadata?.kind === "mapping" && metadata.entries.length === 0) removeField(root, "metadata");
}

export interface Identity {
  apiVersion: string;
  kind: string;
  name: string;
  namespace: string;
}

export function identityOf({ root }: Item): Identity {
  return {
    apiVersion: textAt(root, "apiVersion"),
    kind: textAt(root, "kind"),
    name: textAt(root, "metadata", "name"),
    namespace: textAt(root, "metadata", "namespace"),
  };
}

export function labelsOf({ root }: Item): Map<string, string> {
  return textsAt(root, "metadata", "labels");
}

export function annotationsOf({ root }: Item): Map<string, string> {
  return textsAt(root, "metadata", "annotations");
}

/** What a resource leaves out matches, and so does what is not asked for (krm-functions-sdk KubeObject.IsGVK). */
export function isGvk(item: Item, gvk: { group?: string; version?: string; kind: string }): boolean {
  const { apiVersion, kind } = identityOf(item);
  const same = (one: string, other = ""): boolean => one === "" || other === "" || one === other;
  return (
    same(groupOf(apiVersion), gvk.group) && same(versionOf(apiVersion), gvk.version) && same(kind, gvk.kind)
  );
}

/** File and place in it, by either spelling (kioutil.GetFileAnnotations). */
export function fileOf(item: Item): { path: string; index: string } {
  return {
    path: annotationOf(item, notes.path) || annotationOf(item, notes.legacyPath),
    index: annotationOf(item, notes.index) || annotationOf(item, notes.legacyIndex),
  };
}

/** A file that holds no resource is none of them. */
export function filesOf(items: readonly Item[]): Set<string> {
  return new Set(items.map((item) => fileOf(item).path).filter((path) => path !== ""));
}

/** Each spelling is filled from the other where it is missing (kioutil.CopyLegacyAnnotations). */
export function matchSpellings(item: Item): void {
  const pairs = [
    [notes.legacyPath, notes.path],
    [notes.legacyIndex, notes.index],
    [notes.legacyId, notes.id],
  ] as const;
  for (const [legacy, current] of pairs) {
    const [before, now] = [annotationOf(item, legacy), annotationOf(item, current)];
    if (now !== "" && before === "") annotate(item, legacy, now);
    if (now === "" && before !== "") annotate(item, current, before);
  }
}

export function placeAt(item: Item, path: string): void {
  annotateQuoted(item, notes.path, path);
  annotateQuoted(item, notes.legacyPath, path);
}

export function isLocalConfig(item: Item): boolean {
  return annotationOf(item, localConfig) === "true";
}

export function seqIndentNoted(item: Item): SeqIndent {
  return annotationOf(item, notes.seqIndent) === "wide" ? "wide" : "compact";
}

const kustomizationFiles = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/** Why it is no resource; nothing where it is one or a kustomization file (api/kptfile/v1 IsKRM). */
export function notKrm(item: Item): string | undefined {
  const { apiVersion, kind, name } = identityOf(item);
  const file = fileOf(item).path.split("/").at(-1) ?? "";
  if (kustomizationFiles.includes(file) || apiVersion.startsWith("kustomize.config.k8s.io")) return undefined;
  if (apiVersion === "" && kind === "Kustomization") return undefined;
  if (apiVersion === "") return "resource must have `apiVersion`";
  if (kind === "") return "resource must have `kind`";
  return name === "" ? "resource must have `metadata.name`" : undefined;
}

/** The first that is no resource, with its file. */
export function firstNotKrm(items: readonly Item[]): string | undefined {
  for (const item of items) {
    const problem = notKrm(item);
    if (problem !== undefined) return `${fileOf(item).path}: ${problem}`;
  }
  return undefined;
}
