import type { Location } from "./jsonnet-error.ts";

/** The syntax tree of the Jsonnet specification, with its sugar (object apply, assert, slices) kept as nodes. */
export type Node = { at: Location } & Shape;

type Shape =
  | { type: "null" }
  | { type: "self" }
  | { type: "dollar" }
  | { type: "boolean"; value: boolean }
  | { type: "number"; value: number }
  | { type: "string"; value: string }
  | { type: "array"; items: readonly Node[] }
  | { type: "object"; object: ObjectNode }
  | { type: "object-comprehension"; object: ObjectNode; clauses: readonly Clause[] }
  | { type: "array-comprehension"; body: Node; clauses: readonly Clause[] }
  | { type: "variable"; name: string }
  | { type: "index"; target: Node; index: Node }
  | { type: "slice"; target: Node; from?: Node | undefined; to?: Node | undefined; step?: Node | undefined }
  | { type: "super-index"; index: Node }
  | { type: "in-super"; index: Node }
  | {
      type: "call";
      target: Node;
      positional: readonly Node[];
      named: readonly NamedArgument[];
      tailstrict: boolean;
    }
  | { type: "local"; binds: readonly Bind[]; body: Node }
  | { type: "if"; condition: Node; then: Node; otherwise?: Node | undefined }
  | { type: "function"; params: readonly Param[]; body: Node }
  | { type: "assert"; condition: Node; message?: Node | undefined; body: Node }
  | { type: "error"; message: Node }
  | { type: "import"; path: string }
  | { type: "importstr"; path: string }
  | { type: "importbin"; path: string }
  | { type: "unary"; operator: string; operand: Node }
  | { type: "binary"; operator: string; left: Node; right: Node };

export type NodeOf<T extends Node["type"]> = Extract<Node, { type: T }>;

export interface NamedArgument {
  name: string;
  value: Node;
}

export interface Param {
  name: string;
  fallback?: Node | undefined;
}

export interface Bind {
  name: string;
  value: Node;
}

export type Clause = { kind: "for"; name: string; over: Node } | { kind: "if"; condition: Node };

/** ":" inherits visibility, "::" hides, ":::" shows. */
export type Visibility = ":" | "::" | ":::";

export interface FieldNode {
  /** An expression: constant names are string nodes. */
  name: Node;
  /** `[name]:`. */
  computed: boolean;
  visibility: Visibility;
  /** `+:`: added to the field of the same name in super. */
  adds: boolean;
  value: Node;
}

export interface ObjectNode {
  /** Not inside another object's fields: `$` is this one. */
  outermost: boolean;
  locals: readonly Bind[];
  asserts: readonly { condition: Node; message?: Node | undefined }[];
  fields: readonly FieldNode[];
}
