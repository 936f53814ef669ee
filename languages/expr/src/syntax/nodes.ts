/** What an expression is made of. `at` is where it stands: a character's number from 0. */
export type Node =
  | { kind: "literal"; at: number; value: null | boolean | bigint | number | string }
  | { kind: "name"; at: number; name: string }
  /** `#`, `#index`, `#acc` */
  | { kind: "pointer"; at: number; name: string }
  | { kind: "array"; at: number; items: readonly Node[] }
  | { kind: "map"; at: number; pairs: readonly (readonly [Node, Node])[] }
  | { kind: "unary"; at: number; operator: string; operand: Node }
  | { kind: "binary"; at: number; operator: string; left: Node; right: Node }
  | { kind: "condition"; at: number; test: Node; then: Node; otherwise: Node }
  | { kind: "member"; at: number; of: Node; property: Node; isOptional: boolean }
  /** Nothing at all where an optional member within has nothing before it. */
  | { kind: "chain"; at: number; within: Node }
  | { kind: "slice"; at: number; of: Node; from?: Node; to?: Node }
  | { kind: "call"; at: number; callee: Node; values: readonly Node[] }
  | { kind: "builtin"; at: number; name: string; values: readonly Node[] }
  | { kind: "let"; at: number; name: string; value: Node; within: Node }
  | { kind: "sequence"; at: number; nodes: readonly Node[] };
