import { globSync } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isRecord, matchesPath } from "@capstan/formats/at-start";
import { type Document, isMap, parseDocument } from "yaml";
import { type Edit, EditError, readEdit } from "./read-edit.ts";
import { setImages } from "./set-images.ts";

/** In the order in which kustomize looks for them. */
const names = ["kustomization.yaml", "kustomization.yml", "Kustomization"];
const buildMetadata = ["managedByLabel", "originAnnotations", "transformerAnnotations"];
const maxFileBytes = 16 * 2 ** 20;

/** `kustomize edit` in a directory; comments and the order of keys stay. Throws EditError. */
export async function editKustomizationFile(directory: string, argv: readonly string[]): Promise<void> {
  const edit = readEdit(argv);
  const file = await findFile(directory);
  const document: Document = parseDocument(await readFile(file, "utf8"));
  const [problem] = document.errors;
  if (problem) throw new EditError(`invalid Kustomization: ${problem.message}`);
  if (document.contents !== null && !isMap(document.contents))
    throw new EditError("invalid Kustomization: it is no object");
  const before = JSON.stringify(document);
  change(document, edit, directory);
  if (edit.verb === "remove" && edit.field in lists && JSON.stringify(document) === before) return;
  if (!document.has("apiVersion")) document.set("apiVersion", "kustomize.config.k8s.io/v1beta1");
  if (!document.has("kind")) document.set("kind", "Kustomization");
  await writeFile(file, document.toString({ lineWidth: 0, indentSeq: false }));
}

async function findFile(directory: string): Promise<string> {
  const found: string[] = [];
  for (const name of names) {
    const status = await stat(join(directory, name)).catch(() => undefined);
    if (!status?.isFile()) continue;
    if (status.size > maxFileBytes) throw new EditError(`${name} has ${status.size} bytes`);
    found.push(name);
  }
  const [name] = found;
  if (name === undefined) throw new EditError("Missing kustomization file 'kustomization.yaml'.");
  if (found.length > 1) throw new EditError(`Found multiple kustomization files: ${found.join(", ")}`);
  return join(directory, name);
}

const texts: Record<string, string> = {
  namespace: "namespace",
  nameprefix: "namePrefix",
  namesuffix: "nameSuffix",
};
const lists: Record<string, string> = {
  buildmetadata: "buildMetadata",
  component: "components",
  generator: "generators",
  resource: "resources",
  transformer: "transformers",
};

function change(document: Document, edit: Edit, directory: string): void {
  const { verb, field, args } = edit;
  const text = texts[field];
  const list = lists[field];
  if (text !== undefined) {
    if (args.length > 1) throw new EditError(`must specify exactly one ${field} value`);
    document.set(text, args[0]);
  } else if (field === "image") replace(document, "images", setImages(read(document, "images"), args));
  else if (field === "replicas") replace(document, "replicas", setReplicas(read(document, "replicas"), args));
  else if (list === undefined) changePairs(document, edit);
  else if (field === "buildmetadata") changeBuildMetadata(document, verb, args);
  else changeFiles(document, { ...edit, list }, directory);
}

function read(document: Document, key: string): unknown {
  const all: unknown = document.toJS();
  return typeof all === "object" && all !== null ? Reflect.get(all, key) : undefined;
}

function listAt(document: Document, key: string): unknown[] {
  const value = read(document, key);
  return Array.isArray(value) ? value : [];
}

/** An empty value leaves the file, as kustomize writes it. */
function replace(document: Document, key: string, value: object): void {
  if (Object.keys(value).length === 0) document.delete(key);
  else document.set(key, document.createNode(value));
}

function setReplicas(existing: unknown, args: readonly string[]): unknown[] {
  const replicas = new Map<string, unknown>();
  for (const one of Array.isArray(existing) ? existing.filter(isRecord) : [])
    replicas.set(String(one.name), one);
  for (const arg of args) {
    const [, name, count] = /^([^=]+)=(-?\d+)$/.exec(arg) ?? [];
    if (name === undefined)
      throw new EditError("invalid format of replica, use the following format: <name>=<count>");
    replicas.set(name, { name, count: Number(count) });
  }
  return [...replicas.entries()].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, one]) => one);
}

function changeBuildMetadata(document: Document, verb: Edit["verb"], args: readonly string[]): void {
  const wanted = args.flatMap((arg) => arg.split(","));
  const unknown = wanted.find((one) => !buildMetadata.includes(one));
  if (unknown !== undefined) throw new EditError(`invalid buildMetadata option: ${unknown}`);
  const existing = verb === "set" ? [] : listAt(document, "buildMetadata");
  const twice = verb === "add" ? wanted.find((one) => existing.includes(one)) : undefined;
  if (twice !== undefined) throw new EditError(`buildMetadata option ${twice} already in kustomization file`);
  const kept = existing.filter((one) => !wanted.includes(String(one)));
  replace(document, "buildMetadata", verb === "remove" ? kept : [...kept, ...wanted]);
}

function changeFiles(
  document: Document,
  { verb, field, args, list }: Edit & { list: string },
  directory: string,
) {
  const existing = listAt(document, list).map(String);
  if (verb === "remove") {
    const gone = new Set(args.flatMap((arg) => [arg, ...existing.filter((one) => matchesPath(arg, one))]));
    replace(
      document,
      list,
      existing.filter((one) => !gone.has(one)),
    );
    return;
  }
  const own = [...names];
  for (const arg of args) {
    const found = /[*?[]/.test(arg) ? globSync(arg, { cwd: directory }).toSorted() : isThere(directory, arg);
    if (found.length === 0 && !arg.includes("://")) throw new EditError(`${arg} has no match`);
    for (const file of arg.includes("://") ? [arg] : found) {
      if (own.includes(file)) continue;
      if (existing.includes(file)) process.stderr.write(`${field} ${file} already in kustomization file\n`);
      else existing.push(file);
    }
  }
  replace(document, list, existing);
}

function isThere(directory: string, file: string): string[] {
  return globSync(file.replace(/[[\]{}()!+@]/g, "\\$&"), { cwd: directory });
}

function changePairs(document: Document, edit: Edit): void {
  const { verb, field, args } = edit;
  const key = field === "label" ? "commonLabels" : "commonAnnotations";
  const current = read(document, key);
  const existing: Record<string, unknown> = typeof current === "object" ? { ...current } : {};
  if (verb === "remove") {
    removePairs(document, { edit, key, existing });
    return;
  }
  const pairs = args.map((arg) => readPair(field, arg));
  if (edit.withoutSelector) {
    addLabels(document, edit, pairs);
    return;
  }
  for (const [name, value] of pairs) {
    if (verb === "add" && !edit.force && name in existing)
      throw new EditError(`${field} ${name} already in kustomization file. Use --force to override.`);
    existing[name] = value;
  }
  replace(document, key, sorted(existing));
}

function removePairs(
  document: Document,
  { edit, key, existing }: { edit: Edit; key: string; existing: Record<string, unknown> },
): void {
  if (Object.keys(existing).length === 0 && !edit.ignoreAbsent)
    throw new EditError(`${key} is not defined in kustomization file`);
  for (const name of edit.args.flatMap((arg) => arg.split(","))) {
    if (!(name in existing) && !edit.ignoreAbsent)
      throw new EditError(`${edit.field} ${name} is not defined in kustomization file`);
    delete existing[name];
  }
  replace(document, key, existing);
}

function addLabels(document: Document, edit: Edit, pairs: [string, string][]): void {
  const groups = listAt(document, "labels").filter(isRecord);
  const at = groups.findIndex(
    ({ fields, includeSelectors, includeTemplates = false }) =>
      !fields && !includeSelectors && includeTemplates === edit.includeTemplates,
  );
  const group = groups[at] ?? (edit.includeTemplates ? { includeTemplates: true } : {});
  const merged: Record<string, unknown> = isRecord(group.pairs) ? { ...group.pairs } : {};
  for (const [name, value] of pairs) {
    if (!edit.force && name in merged)
      throw new EditError(`label ${name} already in kustomization file. Use --force to override.`);
    merged[name] = value;
  }
  const changed = { ...group, pairs: sorted(merged) };
  replace(document, "labels", at < 0 ? [...groups, changed] : groups.with(at, changed));
}

/** `name:value`: a value goes on to the end of the word; without a colon it is empty. */
function readPair(field: string, arg: string): [string, string] {
  const colon = arg.indexOf(":");
  const [name, value] = colon < 0 ? [arg, ""] : [arg.slice(0, colon), arg.slice(colon + 1)];
  if (name === "") throw new EditError(`invalid ${field}: '${arg}' (need k:v pair where v may be quoted)`);
  if (field === "annotation" && !/^([a-z0-9][-a-z0-9.]*\/)?[A-Za-z0-9]([-\w.]*[A-Za-z0-9])?$/.test(name))
    throw new EditError(`invalid annotation key: "${name}"`);
  return [name, /^"(.*)"$/.exec(value)?.[1] ?? value];
}

function sorted(pairs: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(pairs).toSorted(([left], [right]) => (left < right ? -1 : 1)));
}
