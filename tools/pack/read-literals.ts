import { extname } from "node:path";
import { type Expression, parseSync, Visitor } from "oxc-parser";

/** A string of a program: where it stands with its quotes, and what it says. */
export interface TextLiteral {
  readonly start: number;
  readonly end: number;
  readonly value: string;
  /** Of an import, an export, `import()` or `import.meta.resolve()`: what is named there is a module. */
  readonly isModule: boolean;
}

/** An expression by which a module asks where it lies (`import.meta.url`), or where another does, which is `given`. */
export interface AskedPlace {
  readonly start: number;
  readonly end: number;
  readonly asks: "dirname" | "filename" | "url" | "resolve";
  readonly given?: string;
}

/** The strings of a program in which files and modules may be named, in their order. */
export function readLiterals(name: string, code: string): TextLiteral[] {
  const { program, module } = parse(name, code);
  const statements = [...module.staticImports, ...module.staticExports.flatMap(({ entries }) => entries)];
  const modules = new Set(
    statements.flatMap(({ moduleRequest }) => (moduleRequest ? [moduleRequest.start] : [])),
  );
  for (const { moduleRequest } of module.dynamicImports) modules.add(moduleRequest.start);
  const found: TextLiteral[] = [];
  new Visitor({
    CallExpression({ callee, arguments: [given] }) {
      if (askedOf(callee) === "resolve" && given) modules.add(given.start);
    },
    "Literal:exit"({ value, start, end }) {
      if (typeof value === "string") found.push({ start, end, value, isModule: modules.has(start) });
    },
  }).visit(program);
  return found.toSorted((one, other) => one.start - other.start);
}

export function readPlaces(name: string, code: string): AskedPlace[] {
  if (!code.includes("import.meta")) return [];
  const found: AskedPlace[] = [];
  new Visitor({
    CallExpression({ start, end, callee, arguments: [given] }) {
      if (askedOf(callee) !== "resolve" || given?.type !== "Literal") return;
      if (typeof given.value === "string") found.push({ start, end, asks: "resolve", given: given.value });
    },
    MemberExpression(expression) {
      const asks = askedOf(expression);
      const { start, end } = expression;
      if (asks === "dirname" || asks === "filename" || asks === "url") found.push({ start, end, asks });
    },
  }).visit(parse(name, code).program);
  return found;
}

function parse(name: string, code: string) {
  const parsed = parseSync(name, code, { lang: extname(name) === ".js" ? "js" : "ts" });
  if (parsed.errors.length > 0) throw new Error(`${name}: ${parsed.errors[0]?.message}`);
  return parsed;
}

/** `x` of `import.meta.x`. */
function askedOf(expression: Expression): string | undefined {
  return expression.type === "MemberExpression" &&
    expression.object.type === "MetaProperty" &&
    expression.property.type === "Identifier"
    ? expression.property.name
    : undefined;
}
