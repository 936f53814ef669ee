import { dump, loadAll, YAMLException } from "js-yaml";
import { CapstanError, messageOf } from "../failures/capstan-error.ts";
import { isRecord } from "../is-record.ts";
import { isManifest, type Manifest } from "../manifest.ts";
import { parseJson } from "./json.ts";
import { dumpSchema, goSchema } from "./yaml-schema.ts";

export interface YamlOptions {
  /** Named in errors. */
  file?: string;
}

export interface YamlDocument {
  value: unknown;
  /** Counted from 1. */
  document: number;
  /** Line of its first text, counted from 1. */
  line: number;
}

interface Piece {
  text: string;
  /** Lines before it. */
  offset: number;
}

/** The documents of a stream; empty and null ones are left out but counted. */
export function parseYamlDocuments(text: string, options: YamlOptions = {}): YamlDocument[] {
  const documents: YamlDocument[] = [];
  let document = 0;
  for (const piece of splitDocuments(text)) {
    document += 1;
    const line = piece.offset + firstTextLine(piece.text);
    for (const value of parsePiece(piece, document, options)) {
      if (value !== null && value !== undefined) documents.push({ value, document, line });
    }
  }
  return documents;
}

/** The first document, as sigs.k8s.io/yaml's Unmarshal reads a stream. */
export function parseYaml(text: string, options: YamlOptions = {}): unknown {
  return parseYamlDocuments(text, options)[0]?.value;
}

export interface PlacedManifest {
  manifest: Manifest;
  document: number;
  line: number;
}

/** Documents that must be Kubernetes objects; a List becomes its items. */
export function parsePlacedManifests(text: string, options: YamlOptions = {}): PlacedManifest[] {
  return parseYamlDocuments(text, options).flatMap((found) =>
    readObjects(found.value, { ...options, document: found.document, line: found.line }).map((manifest) => ({
      manifest,
      document: found.document,
      line: found.line,
    })),
  );
}

export function parseManifests(text: string, options: YamlOptions = {}): Manifest[] {
  return parsePlacedManifests(text, options).map(({ manifest }) => manifest);
}

interface Origin extends YamlOptions {
  document: number;
  line: number;
}

function readObjects(value: unknown, origin: Origin): Manifest[] {
  if (!isRecord(value)) throw invalidManifest(origin, "a document is not an object with apiVersion and kind");
  const { apiVersion, kind, metadata, items } = value;
  if (typeof kind !== "string" || kind === "")
    throw invalidManifest(origin, "kind is missing: name the kind of object", "kind");
  if (typeof apiVersion !== "string" || apiVersion === "") {
    throw invalidManifest(
      origin,
      `apiVersion of this ${kind} is missing: name its group and version`,
      "apiVersion",
    );
  }
  if (kind.endsWith("List") && Array.isArray(items))
    return items.flatMap((item) => readObjects(item, origin));
  const manifest = metadata === undefined || metadata === null ? { ...value, metadata: {} } : value;
  if (!isManifest(manifest))
    throw invalidManifest(origin, `metadata of this ${kind} is not an object`, "metadata");
  return [manifest];
}

function invalidManifest(origin: Origin, problem: string, field?: string): CapstanError {
  return new CapstanError({
    code: "MANIFEST_INVALID",
    ...origin,
    problem,
    ...(field === undefined ? {} : { field }),
  });
}

function parsePiece({ text, offset }: Piece, document: number, { file }: YamlOptions): unknown[] {
  if (/^\s*[{[]/.test(text)) {
    const value = tryJson(text);
    if (value !== undefined) return [value];
  }
  try {
    // json: true lets the last of duplicate keys win, as Go's non-strict reader does.
    return loadAll(text, null, { schema: goSchema, json: true });
  } catch (error) {
    const mark = error instanceof YAMLException ? readMark(error) : undefined;
    const place = mark ?? { line: firstTextLine(text) };
    const named = file === undefined ? {} : { file };
    const problem = error instanceof YAMLException ? error.reason : messageOf(error);
    throw new CapstanError(
      { code: "YAML_INVALID", ...named, document, ...place, line: offset + place.line, problem },
      error,
    );
  }
}

function tryJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined; // flow-style YAML also begins with a bracket
    throw error;
  }
}

function readMark({ mark }: YAMLException): { line: number; column: number } | undefined {
  return mark === undefined || mark === null ? undefined : { line: mark.line + 1, column: mark.column + 1 };
}

const separator = /^---(?=[ \t\r]|$)/;
const onlyPreamble = /^(?:[ \t]*(?:#.*|%.*)?(?:\r?\n|$))*$/;

/** Pieces begin at lines with "---", as apimachinery's YAMLReader cuts; directives stay with what follows them. */
function splitDocuments(text: string): Piece[] {
  if (!text.includes("\n---")) return [{ text, offset: 0 }];
  const pieces: Piece[] = [];
  let lines: string[] = [];
  let offset = 0;
  const all = text.split("\n");
  for (const [index, line] of all.entries()) {
    if (index > 0 && separator.test(line)) {
      const piece = lines.join("\n");
      const isPreamble = onlyPreamble.test(piece);
      if (!isPreamble) pieces.push({ text: piece, offset });
      if (!isPreamble || !/^%/m.test(piece)) {
        lines = [];
        offset = index;
      }
    }
    lines.push(line);
  }
  pieces.push({ text: lines.join("\n"), offset });
  return pieces;
}

function firstTextLine(text: string): number {
  const lines = text.split("\n", 1000);
  const index = lines.findIndex((line) => !/^(?:---)?\s*(?:#.*)?$/.test(line));
  return index < 0 ? 1 : index + 1;
}

/** Text as sigs.k8s.io/yaml prints it: sorted keys, lists at their key's indent, long lines unbroken. */
export function dumpYaml(value: unknown): string {
  return dump(value, {
    schema: dumpSchema,
    sortKeys: true,
    noRefs: true,
    lineWidth: -1,
    noArrayIndent: true,
    skipInvalid: true,
    quotingType: '"',
  });
}
