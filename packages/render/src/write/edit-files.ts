import { type EditedYaml, editYaml, type YamlPath } from "@capstan/krm-yaml";
import { CapstanError, parseYaml } from "@capstan/model";
import type { FileEdit } from "@capstan/wire";

type EditOf<Kind extends FileEdit["kind"]> = Extract<FileEdit, { kind: Kind }>;

/** The file with the values of an edit; the very same text where they stand there. */
export function editFile(file: string, content: string, edit: FileEdit): string {
  const edited = editYaml(file, content, (document) => {
    if (edit.kind === "source") editSource(document, edit);
    else if (edit.kind === "kustomization") editKustomization(document, edit, file);
    else for (const { key, value } of edit.values) setValue(document, { key, value, file });
  });
  // What is committed can be read again, whatever stood there before.
  if (edited !== content) parseYaml(edited, { file });
  return edited;
}

/** Overrides of a source (argocd-image-updater marshalParamsOverride): by image and by name of the parameter. */
function editSource(document: EditedYaml, { images, parameters, env }: EditOf<"source">): void {
  for (const { image, names } of images) {
    const at = itemsOf(document, ["kustomize", "images"]).findIndex((path) =>
      names.includes(oldName(document.text(path) ?? "")),
    );
    put(document, ["kustomize", "images"], { at, item: image, texts: at < 0 ? [] : [[[], image]] });
  }
  for (const { name, value } of parameters) {
    const list: YamlPath = ["helm", "parameters"];
    const at = itemsOf(document, list).findIndex((path) => document.text([...path, "name"]) === name);
    // Lower case, as argocd-image-updater writes it; readers take either.
    const item = { name, value, forcestring: true };
    put(document, list, { at, item, texts: at < 0 ? [] : [[["value"], value]] });
  }
  for (const item of env) {
    const list: YamlPath = ["plugin", "env"];
    const at = itemsOf(document, list).findIndex((path) => document.text([...path, "name"]) === item.name);
    put(document, list, { at, item, texts: at < 0 ? [] : [[["value"], item.value]] });
  }
}

/** As `kustomize edit set image` changes it. */
function editKustomization(document: EditedYaml, { images }: EditOf<"kustomization">, file: string): void {
  for (const { name, newName, newTag, digest } of images) {
    const at = itemsOf(document, ["images"]).findIndex((path) => document.text([...path, "name"]) === name);
    const wanted = Object.entries({ newName: newName === name ? "" : newName, newTag, digest });
    const given = wanted.filter(([, value]) => value !== "");
    const texts = given.map(([field, value]): [YamlPath, string] => [[field], value]);
    const isSet = put(document, ["images"], { at, item: { name, ...Object.fromEntries(given) }, texts });
    if (!isSet) throw refused(file, "images is no list");
    if (at < 0) continue;
    for (const [field, value] of wanted) if (value === "") document.remove(["images", at, field]);
  }
}

/** Of `[OLD=]NAME[:TAG][@DIGEST]`; the colon of a port stands before the last slash. */
function oldName(text: string): string {
  const name = (text.split("=")[0] ?? "").split("@")[0] ?? "";
  const colon = name.indexOf(":", name.lastIndexOf("/") + 1);
  return colon < 0 ? name : name.slice(0, colon);
}

function itemsOf(document: EditedYaml, list: YamlPath): YamlPath[] {
  return Array.from({ length: document.count(list) ?? 0 }, (_one, at) => [...list, at]);
}

function put(
  document: EditedYaml,
  list: YamlPath,
  { at, item, texts }: { at: number; item: unknown; texts: readonly [YamlPath, string][] },
): boolean {
  if (at < 0) return document.append(list, item);
  return texts.every(([path, value]) => document.setText([...list, at, ...path], value));
}

/** A key that stands there as a whole goes before the way that its dots say (argocd-image-updater setHelmValue). */
function setValue(
  document: EditedYaml,
  { key, value, file }: { key: string; value: string; file: string },
): void {
  const path = document.has([key]) ? [key] : pathOf(key, file);
  if (!document.setText(path, value))
    throw refused(file, `${key} is no text there: something else stands at it or on the way to it`);
}

function pathOf(key: string, file: string): YamlPath {
  return key.split(".").flatMap((part) => {
    const [, name = "", place] = /^([^[\]]*)(?:\[(\d{1,4})\])?$/.exec(part) ?? [];
    if (name === "") throw refused(file, `"${key}" is no key of a value: write a.b.c or a.list[0].c`);
    return place === undefined ? [name] : [name, Number(place)];
  });
}

function refused(file: string, problem: string): CapstanError {
  return new CapstanError({ code: "FAILED_PRECONDITION", what: file, problem });
}
