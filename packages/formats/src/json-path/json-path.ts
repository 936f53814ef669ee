import { isRecord } from "../is-record.ts";
import { canonicalJson } from "../json.ts";
import { parseTemplate } from "./parse-template.ts";
import { readSteps } from "./read-steps.ts";
import type { Operator, Part, Step } from "./syntax.ts";

const maxResults = 10_000;
/** A path of many `..` finds a value once for each way to it. */
const maxVisits = 100_000;

/**
 * Kubernetes' JSONPath templates (k8s.io/client-go/util/jsonpath JSONPath.Execute) with nothing allowed to be missing.
 * Numbers compare and print as numbers, whatever Go's type of them. Throws an Error that says what does not fit.
 */
export function printJsonPath(template: string, data: unknown): string {
  return new Walk(false).print(parseTemplate(template), data);
}

/** What one path without braces finds (JSONPath.FindResults of one that AllowMissingKeys); nothing where it does not fit. */
export function findJsonPath(path: string, data: unknown): readonly unknown[] {
  try {
    return new Walk(true).follow(readSteps(path), [data]);
  } catch {
    return [];
  }
}

class Walk {
  readonly #mayMiss: boolean;
  #visits = 0;

  constructor(mayMiss: boolean) {
    this.#mayMiss = mayMiss;
  }

  print(parts: readonly Part[], data: unknown): string {
    return parts
      .map((part) => {
        if (part.kind === "text") return part.text;
        const found = this.follow(part.steps, [data]);
        if (part.kind === "expression") return found.map(print).join(" ");
        return found.map((one) => this.print(part.body, one)).join("");
      })
      .join("");
  }

  follow(steps: readonly Step[], from: readonly unknown[]): readonly unknown[] {
    let found = from;
    for (const step of steps) {
      found = this.#take(found, step);
      if (found.length > maxResults) throw new Error(`jsonPath finds more than ${maxResults} values`);
    }
    return found;
  }

  #take(values: readonly unknown[], step: Step): readonly unknown[] {
    switch (step.kind) {
      case "value":
        return values.map(() => step.value);
      case "field":
        return this.#fieldsOf(values, step.name);
      case "children":
        return values.flatMap((value) => this.#counted(childrenOf(value)));
      case "deep":
        return values.flatMap((value) => this.#allBelow(value));
      case "item":
        return values.flatMap((value) => (value === null ? [] : [itemOf(value, step.at)]));
      case "slice":
        return values.flatMap((value) => (value === null ? [] : this.#counted(sliceOf(value, step))));
      case "union":
        return step.lists.flatMap((list) => this.follow(list, values));
      case "filter":
        return values.flatMap((value) =>
          this.#counted(listOf(value)).filter((one) => this.#passes(one, step)),
        );
    }
  }

  #counted(values: readonly unknown[]): readonly unknown[] {
    this.#visits += values.length;
    if (this.#visits > maxVisits) throw new Error(`jsonPath goes over more than ${maxVisits} values`);
    return values;
  }

  /** Of those that have it. */
  #fieldsOf(values: readonly unknown[], name: string): readonly unknown[] {
    const found = values.flatMap((value) =>
      isRecord(value) && Object.hasOwn(value, name) ? [value[name]] : [],
    );
    if (values.length > 0 && found.length === 0 && !this.#mayMiss)
      throw new Error(`jsonPath: ${name} is not found`);
    return found;
  }

  #allBelow(value: unknown): readonly unknown[] {
    const children = this.#counted(childrenOf(value));
    return children.length === 0 ? [] : [value, ...children.flatMap((child) => this.#allBelow(child))];
  }

  #passes(item: unknown, { left, operator, right }: Step & { kind: "filter" }): boolean {
    if (operator === undefined) return this.#isThere(left, item);
    const [one, another] = [this.follow(left, [item]), this.follow(right, [item])];
    if (one.length === 0 || another.length === 0) return false;
    if (one.length > 1 || another.length > 1)
      throw new Error("jsonPath: a filter can compare one value with one, and found several");
    return compare(one[0], operator, another[0]);
  }

  #isThere(steps: readonly Step[], item: unknown): boolean {
    try {
      return this.follow(steps, [item]).length > 0;
    } catch {
      return false;
    }
  }
}

function childrenOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isRecord(value) ? Object.values(value) : [];
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new Error("jsonPath: what [ ] is asked of is no list");
}

function itemOf(value: unknown, at: number): unknown {
  const list = listOf(value);
  const index = at < 0 ? at + list.length : at;
  if (index < 0 || index >= list.length)
    throw new Error(`jsonPath: there is no [${at}], the list has ${list.length} items`);
  return list[index];
}

function sliceOf(value: unknown, { from, to, step }: Step & { kind: "slice" }): readonly unknown[] {
  const list = listOf(value);
  const fromEnd = (index: number): number => (index < 0 ? index + list.length : index);
  const [start, end] = [fromEnd(from ?? 0), fromEnd(to ?? list.length)];
  if (start === end) return [];
  const written = `[${from ?? ""}:${to ?? ""}]`;
  if (start < 0 || start >= list.length || end < 0 || end > list.length)
    throw new Error(`jsonPath: ${written} is not in the list, which has ${list.length} items`);
  if (start > end) throw new Error(`jsonPath: ${written} ends before it begins`);
  if (step !== undefined && step <= 0) throw new Error("jsonPath: the step of a slice must be above 0");
  return list.slice(start, end).filter((_, index) => index % (step ?? 1) === 0);
}

function compare(left: unknown, operator: Operator, right: unknown): boolean {
  const isEquality = operator === "==" || operator === "!=";
  if (typeof left === "boolean" && typeof right === "boolean" && isEquality)
    return (left === right) === (operator === "==");
  if ((isNumber(left) && isNumber(right)) || (typeof left === "string" && typeof right === "string"))
    return holds(operator, left < right ? -1 : Number(left > right));
  throw new Error(`jsonPath: ${operator} cannot compare ${kindOf(left)} with ${kindOf(right)}`);
}

/** Of whole numbers beyond 2^53 the exact value is kept. */
function isNumber(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

function holds(operator: Operator, order: number): boolean {
  if (operator === "==" || operator === "!=") return (order === 0) === (operator === "==");
  if (order === 0) return operator === "<=" || operator === ">=";
  return order < 0 === operator.startsWith("<");
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return isRecord(value) ? "an object" : `a ${typeof value}`;
}

function print(value: unknown): string {
  return typeof value === "string" ? value : goJson(value);
}

/** Go's json.Marshal: what hashes of a rendered text stand on. */
function goJson(value: unknown): string {
  const written = (sign: string) => `\\u${(sign.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
  return canonicalJson(value).replace(/[<>&\u2028\u2029]/g, written);
}
