/** From 1; columns count code points. */
export interface Position {
  line: number;
  column: number;
}

export interface Name {
  kind: "name";
  at: Position;
  name: string;
}

interface Binary {
  kind: "binary";
  at: Position;
  operator: string;
  left: Expression;
  right: Expression;
}

export type Expression =
  | Name
  | { kind: "literal"; at: Position; value: string | bigint | number; isBytes: boolean }
  | Binary
  | { kind: "unary"; at: Position; operator: string; operand: Expression }
  | { kind: "logic"; at: Position; operator: "and" | "or"; left: Expression; right: Expression }
  | { kind: "choice"; at: Position; condition: Expression; yes: Expression; no: Expression }
  | { kind: "list" | "tuple"; at: Position; items: Expression[] }
  | { kind: "dict"; at: Position; entries: DictEntry[] }
  | Comprehension
  | { kind: "attribute"; at: Position; target: Expression; name: string }
  | { kind: "index"; at: Position; target: Expression; index: Expression }
  | Slice
  | Call
  | { kind: "lambda"; at: Position; code: Code }
  | { kind: "parentheses"; at: Position; inner: Expression };

export interface DictEntry {
  at: Position;
  key: Expression;
  value: Expression;
}

export interface Slice {
  kind: "slice";
  at: Position;
  target: Expression;
  from: Expression | undefined;
  to: Expression | undefined;
  step: Expression | undefined;
}

export type Clause =
  | { kind: "for"; at: Position; target: Expression; source: Expression }
  | { kind: "if"; at: Position; condition: Expression };

export interface Comprehension {
  kind: "comprehension";
  at: Position;
  /** A dict's entry, or an element of a list. */
  body: { entry: DictEntry } | { element: Expression };
  clauses: Clause[];
}

export type Argument = { at: Position; value: Expression } & (
  | { kind: "positional" | "*" | "**" }
  | { kind: "named"; name: Name }
);

export interface Call {
  kind: "call";
  /** Of the bracket, as call stacks show it. */
  at: Position;
  target: Expression;
  arguments: Argument[];
}

export type Parameter =
  | { kind: "plain"; at: Position; name: Name; fallback: Expression | undefined }
  | { kind: "*"; at: Position; name: Name | undefined }
  | { kind: "**"; at: Position; name: Name };

/** What def and lambda have in common. */
export interface Code {
  name: string;
  at: Position;
  parameters: Parameter[];
  body: Statement[];
}

export interface Loaded {
  /** Within the module. */
  from: Name;
  to: Name;
}

export type Statement =
  | { kind: "expression"; value: Expression }
  | { kind: "break" | "continue" | "pass"; at: Position }
  | { kind: "return"; at: Position; value: Expression | undefined }
  | { kind: "assign"; at: Position; operator: string; target: Expression; value: Expression }
  | { kind: "if"; at: Position; condition: Expression; yes: Statement[]; no: Statement[] }
  | { kind: "for"; at: Position; target: Expression; source: Expression; body: Statement[] }
  | { kind: "while"; at: Position; condition: Expression; body: Statement[] }
  | { kind: "def"; at: Position; name: Name; code: Code }
  | { kind: "load"; at: Position; module: string; names: Loaded[] };

/** Where an expression begins. */
export function startOf(expression: Expression): Position {
  switch (expression.kind) {
    case "binary":
    case "logic":
      return startOf(expression.left);
    case "choice":
      return startOf(expression.yes);
    case "attribute":
    case "index":
    case "slice":
    case "call":
      return startOf(expression.target);
    case "tuple":
      return expression.items[0] ? startOf(expression.items[0]) : expression.at;
    default:
      return expression.at;
  }
}

type Plain = Exclude<Expression, { kind: "name" | "comprehension" | "lambda" | "call" }>;

/** Expressions within one that has no names of its own. */
export function partsOf(expression: Plain): Expression[] {
  switch (expression.kind) {
    case "literal":
      return [];
    case "binary":
    case "logic":
      return [expression.left, expression.right];
    case "unary":
      return [expression.operand];
    case "choice":
      return [expression.condition, expression.yes, expression.no];
    case "list":
    case "tuple":
      return expression.items;
    case "dict":
      return expression.entries.flatMap(({ key, value }) => [key, value]);
    case "attribute":
      return [expression.target];
    case "index":
      return [expression.target, expression.index];
    case "parentheses":
      return [expression.inner];
    case "slice":
      return [expression.target, expression.from, expression.to, expression.step].filter(
        (part) => part !== undefined,
      );
  }
}
