/**
 * Functions ≤ 80 lines (literals of data not counted), files ≤ 300 (tests 600), parameters ≤ 3, folders at most two below src, `as` casts ≤ 2
 * per 1,000 lines over the whole. tools/size-exceptions.json lists what is over, with its size; an entry may
 * shrink or go, never grow: an exception that is no longer needed fails the check too.
 */
import { existsSync, readFileSync } from "node:fs";
import {
  type ArrayExpression,
  type Expression,
  type ObjectExpression,
  type Program,
  parseSync,
  type SpreadElement,
  Visitor,
} from "oxc-parser";
import { isTest, sourceFiles } from "./source-files.ts";

const limits = { file: 300, test: 600, function: 80, parameters: 3, castsPerThousand: 2 };
const exceptions: Record<string, number> = JSON.parse(readFileSync("tools/size-exceptions.json", "utf8"));
interface Measure {
  size: number;
  limit: number;
  what: string;
}

const over = new Map<string, Measure>();
let casts = 0;
let lines = 0;

interface Located {
  start: number;
  end: number;
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function lineAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
}

/** Objects and arrays that hold nothing to run. */
function isData(node: Expression | SpreadElement | null): boolean {
  switch (node?.type) {
    case "Literal":
      return true;
    case "TemplateLiteral":
      return node.expressions.length === 0;
    case "UnaryExpression":
      return isData(node.argument);
    case "ArrayExpression":
      return node.elements.every(isData);
    case "ObjectExpression":
      return node.properties.every((one) => one.type === "Property" && !one.computed && isData(one.value));
    default:
      return false;
  }
}

function note(key: string, { size, limit, what }: Measure): void {
  if (size > limit) over.set(key, { size, limit, what });
}

/** Lines within the span that only continue a literal of data. */
function dataLines(data: readonly Located[], { start, end }: Located, starts: readonly number[]): number {
  return data
    .filter((one) => one.start > start && one.end <= end)
    .reduce((sum, one) => sum + lineAt(starts, one.end) - lineAt(starts, one.start), 0);
}

function dataOf(program: Program): Located[] {
  const found: Located[] = [];
  const take = (node: ArrayExpression | ObjectExpression): void => {
    if ((found.at(-1)?.end ?? 0) <= node.start && isData(node)) found.push(node);
  };
  new Visitor({ ArrayExpression: take, ObjectExpression: take }).visit(program);
  return found;
}

function checkFunctions(file: string, text: string): void {
  const { program } = parseSync(file, text);
  const starts = lineStarts(text);
  const data = dataOf(program);
  const seen = new Map<string, number>();
  const names: string[] = [];
  const enter = (node: Located & { params: readonly unknown[] }, name: string | undefined): void => {
    const label = name ?? names.at(-1) ?? "anonymous";
    const count = (seen.get(label) ?? 0) + 1;
    seen.set(label, count);
    const key = `${file}#${label}${count > 1 ? `/${count}` : ""}`;
    const first = lineAt(starts, node.start);
    const length = lineAt(starts, node.end) - first + 1 - dataLines(data, node, starts);
    if (!isTest(file)) note(key, { size: length, limit: limits.function, what: `function at line ${first}` });
    note(`${key}()`, {
      size: node.params.length,
      limit: limits.parameters,
      what: `parameters at line ${first}`,
    });
  };
  const visitor = new Visitor({
    VariableDeclarator: (node) => {
      names.push(node.id.type === "Identifier" ? node.id.name : "pattern");
    },
    "VariableDeclarator:exit": () => {
      names.pop();
    },
    MethodDefinition: (node) => {
      names.push(node.key.type === "Identifier" ? node.key.name : "method");
    },
    "MethodDefinition:exit": () => {
      names.pop();
    },
    FunctionDeclaration: (node) => enter({ ...node, params: node.params }, node.id?.name),
    FunctionExpression: (node) => enter({ ...node, params: node.params }, node.id?.name),
    ArrowFunctionExpression: (node) => enter({ ...node, params: node.params }, undefined),
    TSAsExpression: (node) => {
      const isConst = text.slice(node.start, node.end).endsWith("as const");
      if (!isConst && !isTest(file)) casts += 1;
    },
  });
  visitor.visit(program);
}

for (const file of sourceFiles()) {
  if (!existsSync(file)) continue;
  const text = readFileSync(file, "utf8");
  const length = text.split("\n").length - 1;
  if (!isTest(file)) lines += length;
  note(file, { size: length, limit: isTest(file) ? limits.test : limits.file, what: "file" });
  const below =
    /\/src\/(.*)\/[^/]+$/
      .exec(file)?.[1]
      ?.split("/")
      .filter((one) => one !== "testdata") ?? [];
  if (/^(packages|plugins|languages)\//.test(file))
    note(`${file}:depth`, { size: below.length, limit: 2, what: "folders below src" });
  checkFunctions(file, text);
}

const problems: string[] = [];
for (const [key, { size, limit, what }] of over) {
  const allowed = exceptions[key];
  if (allowed === undefined) problems.push(`${key}: ${what} has ${size}, limit ${limit}`);
  else if (size > allowed) problems.push(`${key}: ${what} grew from ${allowed} to ${size}, limit ${limit}`);
}
for (const [key, allowed] of Object.entries(exceptions)) {
  const now = over.get(key)?.size;
  if (now === undefined)
    problems.push(`${key}: within the limits now; strike it from tools/size-exceptions.json`);
  else if (now < allowed) problems.push(`${key}: is ${now} now; lower it in tools/size-exceptions.json`);
}
const density = (casts * 1000) / Math.max(lines, 1);
if (density > limits.castsPerThousand)
  problems.push(
    `${casts} casts with \`as\` in ${lines} lines: ${density.toFixed(1)} per 1,000, limit ${limits.castsPerThousand}`,
  );
for (const problem of problems) console.error(problem);
console.log(
  `check-sizes: ${lines} lines of source, ${over.size} exceptions, ${density.toFixed(1)} casts per 1,000 lines, ${problems.length} problems`,
);
process.exitCode = problems.length > 0 ? 1 : 0;
