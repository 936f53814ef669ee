/** The tree of a template (Go, text/template/parse/node.go). `at` is an offset into the template's text. */
interface Located {
  readonly at: number;
}

export interface BooleanNode extends Located {
  readonly kind: "bool";
  readonly value: boolean;
}
export interface DotNode extends Located {
  readonly kind: "dot";
}
export interface NilNode extends Located {
  readonly kind: "nil";
}
/** A constant without a type: which types it fits, and its value as each of them. */
export interface NumberNode extends Located {
  readonly kind: "number";
  readonly text: string;
  readonly int?: bigint;
  readonly uint?: bigint;
  readonly float?: number;
}
export interface StringNode extends Located {
  readonly kind: "string";
  readonly value: string;
  /** As it was written, with its quotes. */
  readonly text: string;
}
/** `.a.b`. */
export interface FieldNode extends Located {
  readonly kind: "field";
  readonly path: readonly string[];
}
/** `$x.a.b`: the variable's name has its `$`. */
export interface VariableNode extends Located {
  readonly kind: "variable";
  readonly name: string;
  readonly path: readonly string[];
}
/** `(pipeline).a.b` or `function.a`. */
export interface ChainNode extends Located {
  readonly kind: "chain";
  readonly head: PipeNode | IdentifierNode;
  readonly path: readonly string[];
}
export interface IdentifierNode extends Located {
  readonly kind: "identifier";
  readonly name: string;
}
export interface PipeNode extends Located {
  readonly kind: "pipe";
  readonly variables: readonly string[];
  /** `=` instead of `:=`. */
  readonly isAssignment: boolean;
  readonly commands: readonly CommandNode[];
}
export type Operand =
  | BooleanNode
  | DotNode
  | NilNode
  | NumberNode
  | StringNode
  | FieldNode
  | VariableNode
  | ChainNode
  | IdentifierNode
  | PipeNode;
export interface CommandNode extends Located {
  readonly kind: "command";
  readonly first: Operand;
  readonly rest: readonly Operand[];
}

export interface TextNode extends Located {
  readonly kind: "text";
  readonly text: string;
}
export interface ActionNode extends Located {
  readonly kind: "action";
  readonly pipe: PipeNode;
}
export interface BranchNode extends Located {
  readonly kind: "if" | "with" | "range";
  readonly pipe: PipeNode;
  readonly body: readonly Node[];
  readonly otherwise?: readonly Node[];
}
export interface CallNode extends Located {
  readonly kind: "template";
  readonly name: string;
  readonly pipe?: PipeNode;
}
export interface JumpNode extends Located {
  readonly kind: "break" | "continue";
}
export type Node = TextNode | ActionNode | BranchNode | CallNode | JumpNode;
