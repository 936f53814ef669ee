import { isObject } from "../json.ts";

type Step =
  | { kind: "field"; name: string }
  | { kind: "index"; at: number }
  | { kind: "every" }
  | { kind: "deep"; name: string }
  | { kind: "filter"; path: readonly Step[]; operator: string; value: unknown };

const compiled = new Map<string, readonly Step[] | undefined>();
/** A cluster has some hundred columns; more would be somebody's mistake. */
const mostCompiled = 10_000;

/** The values at a JSONPath as CRD columns write it: fields, indexes, [*], .. and filters. */
export function valuesAt(value: unknown, path: string): readonly unknown[] {
  if (!compiled.has(path)) {
    if (compiled.size >= mostCompiled) compiled.clear();
    compiled.set(path, parsePath(path));
  }
  const steps = compiled.get(path);
  if (!steps) return [];
  visits = 0;
  const found = follow([value], steps);
  return visits > mostVisits ? [] : found;
}

/** A path of many `..` finds a value once for each way to it; one that goes over so many values shows nothing. */
const mostVisits = 100_000;
let visits = 0;
const longestPath = 1_000;

/** Undefined where the path cannot be read. */
export function parsePath(path: string): readonly Step[] | undefined {
  if (path.length > longestPath) return undefined;
  const steps: Step[] = [];
  const token = /\.\.([\w-]+)|\.?\[\s*(\*|-?\d+|'[^']*'|"[^"]*"|\?\((.*?)\))\s*\]|\.((?:\\.|[^.[\\])+)|^\$/gy;
  while (token.lastIndex < path.length) {
    const match = token.exec(path);
    if (!match) return undefined;
    const step = readStep(match);
    if (step === undefined) return undefined;
    if (step !== "root") steps.push(step);
  }
  return steps;
}

function readStep(match: RegExpExecArray): Step | "root" | undefined {
  const [whole, deep, bracket, filter, field] = match;
  if (whole === "$") return "root";
  if (deep !== undefined) return { kind: "deep", name: deep };
  if (field !== undefined)
    return field === "*" ? { kind: "every" } : { kind: "field", name: field.replaceAll(/\\(.)/g, "$1") };
  if (filter !== undefined) return readFilter(filter);
  if (bracket === "*") return { kind: "every" };
  if (bracket === undefined) return undefined;
  if (/^['"]/.test(bracket)) return { kind: "field", name: bracket.slice(1, -1).replaceAll(/\\(.)/g, "$1") };
  return { kind: "index", at: Number(bracket) };
}

function readFilter(filter: string): Step | undefined {
  const text = filter.trim();
  const [operator = ""] = /==|!=|<=|>=|<|>/.exec(text) ?? [];
  const at = operator === "" ? text.length : text.indexOf(operator);
  const right = text.slice(at + operator.length).trim();
  const path = parsePath(text.slice(1, at).trim());
  if (!text.startsWith("@") || !path || (operator !== "" && right === "")) return undefined;
  return { kind: "filter", path, operator, value: operator ? literal(right) : undefined };
}

function literal(text: string): unknown {
  if (/^(['"]).*\1$/.test(text)) return text.slice(1, -1);
  if (text === "true" || text === "false") return text === "true";
  const number = Number(text);
  return Number.isNaN(number) ? text : number;
}

function follow(values: readonly unknown[], steps: readonly Step[]): readonly unknown[] {
  let here = values;
  for (const step of steps) here = here.flatMap((value) => take(value, step));
  return here;
}

function take(value: unknown, step: Step): readonly unknown[] {
  visits += 1;
  if (visits > mostVisits) return [];
  switch (step.kind) {
    case "field":
      return isObject(value) && Object.hasOwn(value, step.name) ? [value[step.name]] : [];
    case "index":
      return Array.isArray(value) && value.at(step.at) !== undefined ? [value.at(step.at)] : [];
    case "every":
      return membersOf(value);
    case "deep":
      return deepValues(value, step.name);
    case "filter":
      return membersOf(value).filter((member) => holds(member, step));
  }
}

function membersOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}

function deepValues(value: unknown, name: string): readonly unknown[] {
  visits += 1;
  if (visits > mostVisits) return [];
  const own = isObject(value) && Object.hasOwn(value, name) ? [value[name]] : [];
  return [...own, ...membersOf(value).flatMap((member) => deepValues(member, name))];
}

function holds(member: unknown, filter: Step & { kind: "filter" }): boolean {
  const [found] = follow([member], filter.path);
  const { operator, value } = filter;
  if (operator === "") return found !== undefined;
  if (operator === "==") return found === value;
  if (operator === "!=") return found !== value;
  if (typeof found !== "number" || typeof value !== "number") return false;
  if (operator === "<") return found < value;
  if (operator === "<=") return found <= value;
  return operator === ">" ? found > value : found >= value;
}
