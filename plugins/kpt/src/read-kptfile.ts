import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type YAMLMap } from "yaml";
import { formerTypes } from "./former-kptfile-schema.ts";
import { goYamlError } from "./go-yaml-error.ts";
import { type FieldType, kptfileTypes, type ObjectTypes } from "./kptfile-schema.ts";
import { KptfileError, PackageError } from "./trace-error.ts";

export type KptfileValue = string | number | string[] | Map<string, string> | KptfileObject | KptfileObject[];
export interface KptfileObject {
  [field: string]: KptfileValue;
}

/** A Kptfile's content by its schema; a field that the schema lacks and another version are refused. */
export function readKptfileContent(content: string, shownPath: string): KptfileObject {
  const lines = new LineCounter();
  const document = parseDocument(content, { lineCounter: lines, uniqueKeys: false, logLevel: "silent" });
  const [syntax] = document.errors;
  if (syntax) throw new KptfileError(shownPath, goYamlError(syntax, content, lines));
  const root = document.contents;
  if (!isMap(root))
    throw new KptfileError(
      shownPath,
      "a Kptfile must be an object of apiVersion kpt.dev/v1 and kind Kptfile",
    );
  checkVersion(textOf(root.get("apiVersion")), textOf(root.get("kind")), shownPath);
  const { read, problems } = readObject(root, kptfileTypes, lines);
  if (problems.length > 0)
    throw new KptfileError(shownPath, `yaml: unmarshal errors:\n${problems.join("\n")}`);
  return read;
}

/** The content of a Kptfile that is to be brought to kpt.dev/v1; v1alpha2 has the fields of v1. */
export function readFormerKptfile(content: string, version: "v1alpha1" | "v1alpha2"): KptfileObject {
  const lines = new LineCounter();
  const root = parseDocument(content, { lineCounter: lines, logLevel: "silent" }).contents;
  if (!isMap(root)) throw new PackageError("a Kptfile must be an object");
  const types = version === "v1alpha1" ? formerTypes : kptfileTypes;
  const { read, problems } = readObject(root, types, lines);
  const valid = version === "v1alpha1" ? "v1alpha1" : "v1";
  if (problems.length > 0)
    throw new PackageError(
      `please make sure the package has a valid '${valid}' Kptfile: yaml: unmarshal errors:\n${problems.join("\n")}`,
    );
  return read;
}

function readObject(root: YAMLMap, types: ObjectTypes, lines: LineCounter) {
  const problems: string[] = [];
  const reader = new SchemaReader(types, lines, problems);
  return { read: reader.object(root, "Kptfile"), problems };
}

function checkVersion(apiVersion: string, kind: string, path: string): void {
  if (apiVersion === "kpt.dev/v1" && kind === "Kptfile") return;
  const former = /^kpt\.dev\/(v1alpha[12])$/.exec(apiVersion)?.[1];
  if (former && kind === "Kptfile") {
    const command =
      "kpt fn eval <PKG_PATH> -i ghcr.io/kptdev/krm-functions-catalog/fix:latest --include-meta-resources";
    const advice =
      former === "v1alpha1"
        ? "Please update the package to the latest format by following https://kpt.dev/installation/migration."
        : `Please run "${command}" to upgrade the package and retry.`;
    throw new PackageError(
      `Kptfile at "${path}" has an old version ("${former}") of the Kptfile schema.\n${advice}`,
    );
  }
  const slash = apiVersion.lastIndexOf("/");
  const shown = `${apiVersion.slice(0, Math.max(slash, 0))}/${apiVersion.slice(slash + 1)}, Kind=${kind}`;
  throw new PackageError(
    `Kptfile at "${path}" has an unknown resource type ("${shown}").\nWrite apiVersion: kpt.dev/v1 and kind: Kptfile; no other version is known here.`,
  );
}

class SchemaReader {
  readonly #types: ObjectTypes;
  readonly #lines: LineCounter;
  readonly #problems: string[];

  constructor(types: ObjectTypes, lines: LineCounter, problems: string[]) {
    this.#types = types;
    this.#lines = lines;
    this.#problems = problems;
  }

  object(node: YAMLMap, typeName: string): KptfileObject {
    const type = this.#types[typeName];
    const read: KptfileObject = {};
    for (const { key, value } of node.items) {
      const name = textOf(key);
      const field = type?.fields[name];
      if (field === undefined) this.#refuse(key, `field ${name} not found in type ${type?.name ?? typeName}`);
      else {
        const content = this.#value(value, field);
        if (content !== undefined) read[name] = content;
      }
    }
    return read;
  }

  #value(node: unknown, type: FieldType): KptfileValue | undefined {
    if (node === null || node === undefined || (isScalar(node) && node.value === null)) return undefined;
    if (type === "anything") return undefined;
    if (type === "text" || type === "number") return this.#scalar(node, type);
    if (type === "texts")
      return isSeq(node) ? node.items.map((item) => textOf(item)) : this.#mismatch(node, "[]string");
    if (type === "map") {
      if (!isMap(node)) return this.#mismatch(node, "map[string]string");
      return this.#texts(node);
    }
    if ("object" in type)
      return isMap(node) ? this.object(node, type.object) : this.#mismatch(node, this.#goName(type.object));
    if (!isSeq(node)) return this.#mismatch(node, `[]${this.#goName(type.list)}`);
    const objects: KptfileObject[] = [];
    for (const item of node.items) if (isMap(item)) objects.push(this.object(item, type.list));
    return objects;
  }

  #texts(node: YAMLMap): Map<string, string> {
    for (const { value } of node.items) if (isMap(value) || isSeq(value)) this.#mismatch(value, "string");
    return new Map(node.items.map(({ key, value }) => [textOf(key), textOf(value)]));
  }

  #scalar(node: unknown, type: "text" | "number"): KptfileValue | undefined {
    if (!isScalar(node)) return this.#mismatch(node, type === "text" ? "string" : "int");
    return type === "text" ? textOf(node) : Number(node.value);
  }

  #mismatch(node: unknown, wanted: string): undefined {
    const found = isMap(node) ? "!!map" : isSeq(node) ? "!!seq" : `!!str \`${textOf(node).slice(0, 10)}\``;
    this.#refuse(node, `cannot unmarshal ${found} into ${wanted}`);
  }

  #goName(type: string): string {
    return this.#types[type]?.name ?? type;
  }

  #refuse(node: unknown, problem: string): void {
    const offset = isRanged(node) ? (node.range?.[0] ?? 0) : 0;
    this.#problems.push(`  line ${this.#lines.linePos(offset).line}: ${problem}`);
  }
}

function isRanged(node: unknown): node is Node {
  return typeof node === "object" && node !== null && "range" in node;
}

/** A scalar's text as it is written, whatever its type. */
function textOf(node: unknown): string {
  if (!isScalar(node)) return typeof node === "string" ? node : "";
  if (node.type === "PLAIN" && node.source !== undefined) return node.value === null ? "" : node.source;
  return node.value === null || node.value === undefined ? "" : String(node.value);
}
