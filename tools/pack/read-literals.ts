import { extname } from "node:path";
import { parseSync, Visitor } from "oxc-parser";

/** A string of a program: where it stands with its quotes, and what it says. */
export interface TextLiteral {
  readonly start: number;
  readonly end: number;
  readonly value: string;
  /** Of an import, an export, `import()` or `import.meta.resolve()`: what is named there is a module. */
  readonly isModule: boolean;
}

/** The strings of a program in which files and modules may be named, in their order. */
export function readLiterals(name: string, code: string): TextLiteral[] {
  const { program, errors, module } = parseSync(name, code, { lang: extname(name) === ".js" ? "js" : "ts" });
  if (errors.length > 0) throw new Error(`${name}: ${errors[0]?.message}`);
  const statements = [...module.staticImports, ...module.staticExports.flatMap(({ entries }) => entries)];
  const modules = new Set(
    statements.flatMap(({ moduleRequest }) => (moduleRequest ? [moduleRequest.start] : [])),
  );
  for (const { moduleRequest } of module.dynamicImports) modules.add(moduleRequest.start);
  const found: TextLiteral[] = [];
  new Visitor({
    CallExpression({ callee, arguments: [given] }) {
      const isResolve =
        callee.type === "MemberExpression" &&
        callee.object.type === "MetaProperty" &&
        callee.property.type === "Identifier" &&
        callee.property.name === "resolve";
      if (isResolve && given) modules.add(given.start);
    },
    "Literal:exit"({ value, start, end }) {
      if (typeof value === "string") found.push({ start, end, value, isModule: modules.has(start) });
    },
  }).visit(program);
  return found.toSorted((one, other) => one.start - other.start);
}
