import { isObject, type JsonObject } from "../json.ts";
import type { ResolvedSchema } from "../resolved-schema.ts";

/**
 * What structured-merge-diff sees of a schema: which of scalar, list and map a value may be, and whether lists
 * and maps are merged or replaced as one (kube-openapi/pkg/schemaconv).
 */
export interface Atom {
  readonly scalar: boolean;
  readonly list: ListAtom | undefined;
  readonly map: MapAtom | undefined;
  /** The JSON type that a scalar must have; empty where any will do. */
  readonly scalarType: string;
}

export interface ListAtom {
  readonly atomic: boolean;
  readonly keys: readonly string[];
  readonly element: Atom;
  /** Values of keys that an item leaves out. */
  readonly keyDefaults: JsonObject;
}

export interface MapAtom {
  readonly atomic: boolean;
  isDeclared(name: string): boolean;
  /** Undefined where the type has no such field. */
  field(name: string): Atom | undefined;
}

const untyped: Atom = {
  scalar: true,
  scalarType: "",
  get list() {
    return untypedList;
  },
  get map() {
    return untypedMap;
  },
};
const untypedList: ListAtom = { atomic: true, keys: [], element: untyped, keyDefaults: {} };
const untypedMap: MapAtom = { atomic: true, isDeclared: () => false, field: () => untyped };
const deduced: Atom = {
  scalar: true,
  scalarType: "",
  list: untypedList,
  get map() {
    return deducedMap;
  },
};
const deducedMap: MapAtom = { atomic: false, isDeclared: () => false, field: () => deduced };
const anyScalar: Atom = { scalar: true, scalarType: "", list: undefined, map: undefined };

const known = new WeakMap<ResolvedSchema, Atom>();

export function atomOf(schema: ResolvedSchema): Atom {
  let atom = known.get(schema);
  if (!atom) {
    atom = makeAtom(schema);
    known.set(schema, atom);
  }
  return atom;
}

function makeAtom(schema: ResolvedSchema): Atom {
  if (schema.goName === "Quantity") return anyScalar;
  if (schema.goName === "RawExtension") return untyped;
  switch (schema.type) {
    case "object":
      return { scalar: false, scalarType: "", list: undefined, map: mapAtom(schema) };
    case "array":
      return { scalar: false, scalarType: "", list: listAtom(schema), map: undefined };
    case undefined:
      return { scalar: true, scalarType: "", list: listAtom(schema), map: mapAtom(schema) };
    default: {
      const { format = "" } = schema.schema;
      // kube-openapi schemaconv convertPrimitive: a text of any other format may be any scalar.
      const scalarType = schema.type === "string" && !["", "byte"].includes(format) ? "" : schema.type;
      return { scalar: true, scalarType, list: undefined, map: undefined };
    }
  }
}

function listAtom(schema: ResolvedSchema): ListAtom {
  let element: Atom | undefined;
  let keyDefaults: JsonObject | undefined;
  return {
    atomic: schema.listType === "atomic",
    keys: [...schema.listKeys].sort(),
    get element() {
      element ??= schema.items ? atomOf(schema.items) : untyped;
      return element;
    },
    get keyDefaults() {
      keyDefaults ??= readKeyDefaults(schema);
      return keyDefaults;
    },
  };
}

function readKeyDefaults(schema: ResolvedSchema): JsonObject {
  const defaults: JsonObject = {};
  for (const key of schema.listKeys) {
    const value = schema.items?.property(key)?.schema.default;
    if (value !== undefined) defaults[key] = value;
  }
  return defaults;
}

function mapAtom(schema: ResolvedSchema): MapAtom {
  const fields = new Map<string, Atom | undefined>();
  const others = otherFields(schema);
  return {
    atomic: schema.mapType === "atomic",
    isDeclared: (name) => schema.property(name) !== undefined,
    field(name) {
      if (fields.has(name)) return fields.get(name);
      const declared = schema.property(name);
      if (!declared) return others();
      const atom = atomOf(declared);
      fields.set(name, atom);
      return atom;
    },
  };
}

function otherFields(schema: ResolvedSchema): () => Atom | undefined {
  const values = schema.values;
  if (values) return () => atomOf(values);
  if (schema.schema.additionalProperties === true) return () => deduced;
  if (schema.schema.additionalProperties === false) return () => undefined;
  const free = schema.preserved || schema.fieldNames.length === 0;
  return () => (free ? deduced : undefined);
}

export type Shape = { kind: "scalar" } | { kind: "list"; list: ListAtom } | { kind: "map"; map: MapAtom };

const scalarShape: Shape = { kind: "scalar" };

/** Which of the possible shapes applies to a value: typed/helpers.go deduceAtom and handleAtom. */
export function shapeOf(atom: Atom, value: unknown): Shape {
  if (Array.isArray(value)) {
    if (atom.list) return { kind: "list", list: atom.list };
  } else if (isObject(value)) {
    if (atom.map) return { kind: "map", map: atom.map };
  } else if (value !== null && value !== undefined && atom.scalar) return scalarShape;
  if (atom.map) return { kind: "map", map: atom.map };
  if (atom.scalar) return scalarShape;
  return atom.list ? { kind: "list", list: atom.list } : scalarShape;
}

/** The path element of a list item, or a message that says why it has none. */
export function elementOf(list: ListAtom, item: unknown): string | { problem: string } {
  if (list.keys.length === 0) return setElement(item);
  if (item === null) return { problem: "associative list with keys may not have a null element" };
  if (!isObject(item)) return { problem: "associative list with keys may not have non-map elements" };
  let text = "";
  for (const key of list.keys) {
    const value = Object.hasOwn(item, key) ? item[key] : list.keyDefaults[key];
    if (value !== undefined) text += `${text && ","}${JSON.stringify(key)}:${JSON.stringify(value)}`;
  }
  if (text) return `k:{${text}}`;
  const keys = list.keys.map((key) => JSON.stringify(key)).join(" ");
  return {
    problem: `associative list with keys has an element that omits all key fields [${keys}] (and doesn't have default values for any key fields)`,
  };
}

function setElement(item: unknown): string | { problem: string } {
  if (item === null)
    return { problem: "associative list without keys has an element that's an explicit null" };
  if (isObject(item)) return { problem: "associative list without keys has an element that's a map type" };
  if (Array.isArray(item)) return { problem: "not supported: associative list with lists as elements" };
  return `v:${JSON.stringify(item)}`;
}

export function isEmptyMap(value: unknown): boolean {
  if (!isObject(value)) return true;
  for (const _key in value) return false;
  return true;
}

export function isEmptyList(value: unknown): boolean {
  return !Array.isArray(value) || value.length === 0;
}
