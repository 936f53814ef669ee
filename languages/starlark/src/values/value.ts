import { StarlarkError } from "../script-error.ts";
import { runeAt } from "./utf8.ts";

/** None is null, an int a bigint, a float a number, a string its UTF-8 bytes (utf8.ts). */
export type Value = null | boolean | bigint | number | string | StarObject;

/** What a dict finds an entry by: equal values have the same. */
export type Key = null | boolean | bigint | number | string | object;

/** Writes a value as `repr` does; `path` holds the containers that are being written, against cycles. */
export type Writer = (value: Value) => string;

/** All that is no plain value. */
export abstract class StarObject {
  abstract readonly type: string;

  abstract repr(write: Writer): string;

  truth(): boolean {
    return true;
  }

  key(): Key {
    throw new StarlarkError(`unhashable type: ${this.type}`);
  }

  attribute(_name: string): Value | undefined {
    return undefined;
  }

  attributeNames(): string[] {
    return [];
  }

  /** From here on nothing changes it, nor what it holds. */
  freeze(): void {
    // Most values never change.
  }

  /** Undefined where it has none. */
  length(): number | undefined {
    return undefined;
  }

  /** Undefined where it cannot be iterated. Whatever is iterated cannot be changed meanwhile. */
  elements(): Iterable<Value> | undefined {
    return undefined;
  }

  /** Undefined where `in` has no meaning for it. */
  has(_value: Value): boolean | undefined {
    return undefined;
  }

  /** As JSON, where that is not its elements or attributes. */
  json(): string | undefined {
    return undefined;
  }

  /** Below 0, 0, or above; undefined where values of the type have no order. */
  order(_other: StarObject, _compare: (one: Value, other: Value) => number): number | undefined {
    return undefined;
  }

  /** Of values of the same type. */
  equals(other: StarObject, _equal: (one: Value, other: Value) => boolean): boolean {
    return this === other;
  }

  /** `value[key]`; undefined where it has no meaning for it. */
  index(_key: Value): Value | undefined {
    return undefined;
  }

  /** Undefined where the operator has no meaning for it. */
  binary(_operator: string, _other: Value, _isLeft: boolean): Value | undefined {
    return undefined;
  }
}

export function typeOf(value: Value): string {
  if (value === null) return "NoneType";
  if (value instanceof StarObject) return value.type;
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "bigint":
      return "int";
    case "number":
      return "float";
    default:
      return "string";
  }
}

export function isTrue(value: Value): boolean {
  return value instanceof StarObject ? value.truth() : value !== null && value !== "" && !isZero(value);
}

/** NaN is true. */
function isZero(value: boolean | bigint | number | string): boolean {
  return value === false || value === 0n || value === 0;
}

/** Equal values give the same key: 1 and 1.0 do, 1 and True do not. */
export function keyOf(value: Value): Key {
  if (value instanceof StarObject) return value.key();
  return typeof value === "number" && Number.isInteger(value) ? BigInt(value) : value;
}

/** Begins keys of values with parts; no string has this char, since strings are bytes. */
const mark = { tuple: "\u0100(", bytes: "\u0100b", struct: "\u0100s", end: "\u0100)" };

const identities = new WeakMap<object, number>();
let identity = 0;

/** A key as part of another. */
export function keyText(key: Key): string {
  if (typeof key === "string") return key.startsWith("\u0100") ? key : `\u0100"${key.length}:${key}`;
  if (typeof key !== "object" || key === null) return `\u0100${typeof key}${String(key)}`;
  const known = identities.get(key) ?? ++identity;
  identities.set(key, known);
  return `\u0100@${known}`;
}

export const compositeKey = (kind: "tuple" | "bytes" | "struct", parts: readonly string[]): string =>
  `${mark[kind]}${parts.join("")}${mark.end}`;

export function freeze(value: Value): void {
  if (value instanceof StarObject) value.freeze();
}

/** The elements; throws where a value has none. */
export function elementsOf(value: Value): Iterable<Value> {
  const elements = value instanceof StarObject ? value.elements() : undefined;
  if (!elements) throw new StarlarkError(`${typeOf(value)} value is not iterable`);
  return elements;
}

export const isIterable = (value: Value): value is StarObject =>
  value instanceof StarObject && value.elements() !== undefined;

export function lengthOf(value: Value): number | undefined {
  if (typeof value === "string") return value.length;
  return value instanceof StarObject ? value.length() : undefined;
}

/** Whether a string is one code point. */
export const isOneRune = (text: string): boolean => text !== "" && runeAt(text, 0).size === text.length;
