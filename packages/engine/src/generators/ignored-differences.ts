import type { ApplicationSet } from "@capstan/model";
import { pathsOf, withoutPath } from "../diff/json-pointer.ts";
import { GenerationError } from "./generation-error.ts";

type Rules = NonNullable<ApplicationSet["spec"]["ignoreApplicationDifferences"]>;
type Fields = { readonly [field: string]: unknown };

/** What of an Application a set does not touch: the same is taken away from what is and from what should be. */
export function withoutIgnored<T extends Fields>(side: T, name: string, rules: Rules): Fields {
  let left: unknown = side;
  for (const rule of rules) {
    if ((rule.name ?? "") !== "" && rule.name !== name) continue;
    for (const path of pathsOf(rule.jsonPointers)) left = withoutPath(left, path);
    for (const expression of rule.jqPathExpressions ?? []) left = without(left, readJqPath(expression));
  }
  return isFields(left) ? left : side;
}

/** Throws GenerationError for what `withoutIgnored` cannot work on. */
export function requireIgnorable(rules: Rules): void {
  for (const expression of rules.flatMap((rule) => rule.jqPathExpressions ?? [])) readJqPath(expression);
}

/** Nothing outside metadata and the specification is compared anyway. */
function without(value: unknown, path: readonly string[]): unknown {
  return path.length === 0 ? value : withoutPath(value, path);
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

const step = /\.([A-Za-z_][A-Za-z0-9_]*)|\.?\["((?:[^"\\])*)"\]|\.?\[(\d+)\]/y;

/** The path of a jq expression that is nothing but one: `.spec.source.targetRevision`, `.metadata.labels["a/b"]`. */
export function readJqPath(expression: string): string[] {
  const text = expression.trim();
  const path: string[] = [];
  for (let at = 0; at < text.length; ) {
    step.lastIndex = at;
    const [whole, name, quoted, index] = step.exec(text) ?? [];
    const part = name ?? quoted ?? index;
    if (whole === undefined || part === undefined)
      throw new GenerationError(
        `spec.ignoreApplicationDifferences: the jq expression ${JSON.stringify(expression)} is more than a path, which is not worked on yet: use jsonPointers`,
      );
    path.push(part);
    at += whole.length;
  }
  return path;
}
