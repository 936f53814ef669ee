import { isObject } from "../json.ts";
import { type Atom, elementOf, isEmptyMap, type ListAtom, type MapAtom, shapeOf } from "./atom.ts";
import { FieldSet, printPath } from "./field-set.ts";

/** The fields that a value sets: typed/tofieldset.go. */
export function fieldsOf(atom: Atom, value: unknown): FieldSet {
  const root = new FieldSet();
  collect(atom, value, root);
  return root.trimmed();
}

function collect(atom: Atom, value: unknown, into: FieldSet): void {
  const shape = shapeOf(atom, value);
  if (shape.kind === "scalar") into.member = true;
  else if (shape.kind === "list") {
    if (shape.list.atomic) into.member = true;
    else if (Array.isArray(value)) collectItems(shape.list, value, into);
  } else if (shape.map.atomic) into.member = true;
  else if (isObject(value)) collectFields(shape.map, value, into);
}

function collectItems(list: ListAtom, items: readonly unknown[], into: FieldSet): void {
  const seen = new Set<string>();
  for (const item of items) {
    const element = elementOf(list, item);
    if (typeof element !== "string") continue;
    const child = into.below(element);
    child.member = true;
    if (seen.has(element)) child.cut();
    else collect(list.element, item, child);
    child.member = true;
    seen.add(element);
  }
}

function collectFields(map: MapAtom, value: Record<string, unknown>, into: FieldSet): void {
  for (const [key, item] of Object.entries(value)) {
    const field = map.field(key);
    if (!field || item === undefined) continue;
    const child = into.below(`f:${key}`);
    collect(field, item, child);
    if (item === null || (isObject(item) && isEmptyMap(item)) || !map.isDeclared(key)) child.member = true;
  }
}

/** What keeps a value from being of its type: typed/validate.go, with its words. */
export function typeProblems(atom: Atom, value: unknown, path: readonly string[] = []): string[] {
  if (value === null || value === undefined) return [];
  const shape = shapeOf(atom, value);
  const at = (problem: string): string[] => [path.length ? `${printPath(path)}: ${problem}` : problem];
  if (shape.kind === "scalar") return scalarProblem(atom, value).flatMap(at);
  if (shape.kind === "list") {
    if (!Array.isArray(value)) return at(`expected list, got &{${goValue(value)}}`);
    return listProblems(shape.list, value, path);
  }
  if (!isObject(value)) return at(`expected map, got &{${goValue(value)}}`);
  const stray = Object.keys(value).find((key) => !shape.map.field(key));
  if (stray !== undefined) return [`${printPath([...path, `f:${stray}`])}: field not declared in schema`];
  return Object.entries(value).flatMap(([key, item]) => {
    const field = shape.map.field(key);
    return field ? typeProblems(field, item, [...path, `f:${key}`]) : [];
  });
}

function listProblems(list: ListAtom, items: readonly unknown[], path: readonly string[]): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    const element = list.atomic ? `i:${index}` : elementOf(list, item);
    if (typeof element !== "string") return [`${printPath(path)}: element ${index}: ${element.problem}`];
    if (seen.has(element))
      problems.push(`${printPath(path)}: duplicate entries for key ${printPath([element])}`);
    seen.add(element);
    problems.push(...typeProblems(list.element, item, [...path, element]));
  }
  return problems;
}

function scalarProblem(atom: Atom, value: unknown): string[] {
  const isNumber = typeof value === "number" || typeof value === "bigint";
  switch (atom.scalarType) {
    case "integer":
    case "number":
      return isNumber ? [] : [`expected numeric (int or float), got ${goType(value)}`];
    case "string":
      return typeof value === "string"
        ? []
        : [`expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`];
    case "boolean":
      return typeof value === "boolean" ? [] : [`expected boolean, got &{${goValue(value)}}`];
    default:
      return typeof value === "object" ? [`expected any scalar, got &{${goValue(value)}}`] : [];
  }
}

function goType(value: unknown): string {
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  if (typeof value === "boolean") return "bool";
  return typeof value === "string" ? "string" : "map[string]interface {}";
}

/** As %v. */
function goValue(value: unknown): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goValue).join(" ")}]`;
  if (!isObject(value)) return String(value);
  const members = Object.keys(value).sort();
  return `map[${members.map((key) => `${key}:${goValue(value[key])}`).join(" ")}]`;
}

/** As %#v. */
function goSyntax(value: unknown): string {
  if (value === null) return "interface {}(nil)";
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (!isObject(value)) return typeof value === "string" ? JSON.stringify(value) : String(value);
  const members = Object.keys(value).sort();
  const texts = members.map((key) => `${JSON.stringify(key)}:${goSyntax(value[key])}`);
  return `map[string]interface {}{${texts.join(", ")}}`;
}
