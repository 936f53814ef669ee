import { Optional } from "@marcbachmann/cel-js";
import { isRecord } from "../types.ts";
import type { Written } from "./problem.ts";

/** An expression in the library's words, which has no literals of messages. */
export interface Rewritten extends Written {
  readonly text: string;
}

const skipped =
  /(?:[rR]?[bB]?|[bB][rR])(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|\/\/[^\n]*/y;
const opening = /(Object(?:\.\w+)*|JSONPatch)\s*\{/y;
const field = /(\?\s*)?(\w+|`[^`]*`)(?=\s*:)/y;
const word = /\w+/y;

interface Frame {
  readonly isLiteral: boolean;
  wantsField: boolean;
}

/** `Object.spec{replicas: 1}` becomes `newObject("Object.spec", {"replicas": 1})`, `Object{…}` itself `newRoot({…})`. */
export function withoutLiterals(original: string): Rewritten {
  const frames: Frame[] = [];
  const places: number[] = [];
  let text = "";
  let at = 0;
  const emit = (piece: string, length: number): void => {
    for (let index = 0; index < piece.length; index += 1) places.push(at + Math.min(index, length - 1));
    text += piece;
    at += length;
  };
  while (at < original.length) {
    const top = frames.at(-1);
    const literal = isAfterDot(text) ? undefined : matchAt(opening, original, at);
    const plain = matchAt(skipped, original, at);
    const named = top?.wantsField ? matchAt(field, original, at) : undefined;
    if (named) {
      emit(JSON.stringify(`${named[1] ? "?" : ""}${named[2]?.replaceAll("`", "")}`), named[0].length);
      if (top) top.wantsField = false;
    } else if (literal) {
      const isRoot = literal[1] === rootType;
      emit(isRoot ? "newRoot({" : `newObject("${literal[1]}", {`, literal[0].length);
      frames.push({ isLiteral: true, wantsField: true });
    } else {
      const [piece] = plain ?? matchAt(word, original, at) ?? [original.charAt(at)];
      emit(follow(frames, piece) ? `${piece})` : piece, piece.length);
    }
  }
  return { text, original, placeOf: (index) => places[index] ?? original.length };
}

const isAfterDot = (text: string): boolean => /\.\s*$/.test(text);

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

/** Keeps count of brackets. True for the one that ends a literal. */
function follow(frames: Frame[], piece: string): boolean {
  if (piece === "{" || piece === "[" || piece === "(") frames.push({ isLiteral: false, wantsField: false });
  if (piece === "}" || piece === "]" || piece === ")") return frames.pop()?.isLiteral ?? false;
  const top = frames.at(-1);
  if (piece === "," && top?.isLiteral) top.wantsField = true;
  return false;
}

export const rootType = "Object";

/** What an apply configuration is made of: the one type that is known before an expression runs. */
export class RootObject extends Map<string, unknown> {}

export const newRoot = (fields: unknown): RootObject => fill(new RootObject(), rootType, fields);

const typeNames = new WeakMap<object, string>();

/** What newObject() makes: a map that knows the name of its type. */
export const newObject = (typeName: string, fields: unknown): Map<string, unknown> =>
  fill(new Map<string, unknown>(), typeName, fields);

function fill<T extends Map<string, unknown>>(made: T, typeName: string, fields: unknown): T {
  for (const [key, value] of fields instanceof Map ? fields : Object.entries(fields ?? {})) {
    if (!key.startsWith("?")) made.set(key, value);
    else if (!(value instanceof Optional)) throw new Error(`an optional value is wanted for ${key}`);
    else if (value.hasValue()) made.set(key.slice(1), value.value());
  }
  typeNames.set(made, typeName);
  return made;
}

export function typeNameOf(value: unknown): string | undefined {
  return typeof value === "object" && value !== null ? typeNames.get(value) : undefined;
}

/** Names of types must follow the fields that they stand in (apiserver pkg/cel/mutation/dynamic typeCheck). */
export function typeMismatch(value: unknown, wanted = typeNameOf(value) ?? ""): string | undefined {
  const own = typeNameOf(value);
  if (own !== undefined && own !== wanted)
    return `unexpected type name ${JSON.stringify(own)}, expected ${JSON.stringify(wanted)}, which matches field name path from root Object type`;
  for (const [key, item] of partsOf(value)) {
    const found = typeMismatch(item, own === undefined ? wanted : `${wanted}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function partsOf(value: unknown): Iterable<[unknown, unknown]> {
  if (value instanceof Map || Array.isArray(value)) return value.entries();
  return isRecord(value) ? Object.entries(value) : [];
}

/** The JSON that a value of an expression stands for. */
export function toPlain(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Date) return value.toISOString().replace(".000Z", "Z");
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof Set || Array.isArray(value)) return [...value].map(toPlain);
  if (typeof value !== "object" || value === null) return value;
  const parts = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(parts.map(([key, item]) => [String(key), toPlain(item)]));
}
