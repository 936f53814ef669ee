/** A step of an expression (k8s.io/client-go/util/jsonpath Node). */
export type Step =
  /** Stands for itself, whatever was found before. */
  | { kind: "value"; value: string | number | boolean }
  | { kind: "field"; name: string }
  | { kind: "children" }
  /** All lists and objects below. */
  | { kind: "deep" }
  | { kind: "item"; at: number }
  | { kind: "slice"; from: number | undefined; to: number | undefined; step: number | undefined }
  | { kind: "union"; lists: readonly (readonly Step[])[] }
  /** Without an operator: those for which something is found. */
  | { kind: "filter"; left: readonly Step[]; operator: Operator | undefined; right: readonly Step[] };

export type Operator = "<" | ">" | "==" | "!=" | "<=" | ">=";

export type Part =
  | { kind: "text"; text: string }
  | { kind: "expression"; steps: readonly Step[] }
  /** What is up to its `{end}` is printed for each that is found. */
  | { kind: "range"; steps: readonly Step[]; body: readonly Part[] };
