import { expansionProblem, isRecord, isTooDeep, parseJson } from "@capstan/formats";
import { goSchema } from "@capstan/formats/yaml";
import { loadAll, YAMLException } from "js-yaml";
import { CapstanError, isCapstanError, messageOf } from "../failures/capstan-error.ts";
import { isManifest, type Manifest } from "../manifest.ts";

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
  return splitDocuments(text).flatMap((piece, index) => readDocuments(piece, index + 1, options));
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
  return splitDocuments(text).flatMap((piece, index) => readManifests(piece, index + 1, options));
}

/** The same of a text that is still coming: what has come whole is read before the rest is there. */
export class ManifestReader {
  readonly #options: YamlOptions;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #found: PlacedManifest[] = [];
  #failure: unknown;
  /** From the last separator on. */
  #rest = "";
  #lines = 0;
  #documents = 0;
  /** Length that the rest must have to be looked at again: a large document is not searched for each piece of it. */
  #enough = 0;

  constructor(options: YamlOptions = {}) {
    this.#options = options;
  }

  add(bytes: Uint8Array): void {
    this.#rest += this.#decoder.decode(bytes, { stream: true });
    if (this.#rest.length < this.#enough || this.#failure !== undefined) return;
    const end = this.#rest.lastIndexOf("\n") + 1;
    const pieces = splitDocuments(this.#rest.slice(0, end));
    const last = pieces.pop() ?? { text: "", offset: 0 };
    this.#read(pieces);
    this.#rest = last.text + this.#rest.slice(end);
    this.#lines += last.offset;
    this.#enough = 2 * this.#rest.length;
  }

  /** All of them, or the first thing that is wrong. */
  end(): PlacedManifest[] {
    this.#rest += this.#decoder.decode();
    this.#read(splitDocuments(this.#rest));
    if (this.#failure !== undefined) throw this.#failure;
    return this.#found;
  }

  #read(pieces: readonly Piece[]): void {
    if (this.#failure !== undefined) return;
    try {
      for (const { text, offset } of pieces) {
        this.#documents += 1;
        const piece = { text, offset: this.#lines + offset };
        this.#found.push(...readManifests(piece, this.#documents, this.#options));
      }
    } catch (error) {
      this.#failure = error;
    }
  }
}

function readManifests(piece: Piece, document: number, options: YamlOptions): PlacedManifest[] {
  return readDocuments(piece, document, options).flatMap(({ value, line }) =>
    readObjects(value, { ...options, document, line }).map((manifest) => ({ manifest, document, line })),
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

function readDocuments(piece: Piece, document: number, options: YamlOptions): YamlDocument[] {
  const line = piece.offset + firstTextLine(piece.text);
  return parsePiece(piece, document, options)
    .filter((value) => value !== null && value !== undefined)
    .map((value) => ({ value, document, line }));
}

function parsePiece({ text, offset }: Piece, document: number, { file }: YamlOptions): unknown[] {
  if (/^\s*[{[]/.test(text)) {
    const value = tryJson(text);
    if (value !== undefined) return [value];
  }
  try {
    // json: true lets the last of duplicate keys win, as Go's non-strict reader does.
    const values = loadAll(text, null, { schema: goSchema, json: true });
    const problem = mayHaveAliases(text) ? expansionProblem(values) : undefined;
    if (problem === undefined) return values;
    const named = file === undefined ? {} : { file };
    throw new CapstanError({ code: "YAML_INVALID", ...named, document, line: offset + 1, problem });
  } catch (error) {
    if (isCapstanError(error)) throw error;
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

function mayHaveAliases(text: string): boolean {
  return text.includes("&") && text.includes("*");
}

function tryJson(text: string): unknown {
  // As YAML it is refused for its depth.
  if (isTooDeep(text)) return undefined;
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
export function splitDocuments(text: string): Piece[] {
  if (!text.includes("\n---")) return [{ text, offset: 0 }];
  const pieces: Piece[] = [];
  let lines: string[] = [];
  let offset = 0;
  const all = text.split("\n");
  for (const [index, line] of all.entries()) {
    if (index > 0 && separator.test(line)) {
      const piece = `${lines.join("\n")}\n`;
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
