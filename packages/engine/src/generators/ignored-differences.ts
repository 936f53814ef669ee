import { type ApplicationSet, argoApiVersion, type Manifest } from "@capstan/model";
import { pathsOf, withoutPath } from "../diff/json-pointer.ts";

type Rules = NonNullable<ApplicationSet["spec"]["ignoreApplicationDifferences"]>;
type Fields = { readonly [field: string]: unknown };

/** An Application without what jq expressions name; the engine has no jq of its own. */
export type DeleteByJq = (manifest: Manifest, expressions: readonly string[]) => unknown;

/** What of an Application a set does not touch: the same is taken away from what is and from what should be. */
export function withoutIgnored<T extends Fields>(
  side: T,
  { name, rules, deleteByJq }: { name: string; rules: Rules; deleteByJq?: DeleteByJq | undefined },
): Fields {
  let left: unknown = side;
  for (const rule of rules) {
    if ((rule.name ?? "") !== "" && rule.name !== name) continue;
    for (const path of pathsOf(rule.jsonPointers)) left = withoutPath(left, path);
    const { jqPathExpressions: expressions = [] } = rule;
    const paths = expressions.map(readJqPath);
    if (paths.every((path) => path !== undefined)) for (const path of paths) left = without(left, path);
    else if (deleteByJq) left = withoutNamed(left, { name, expressions, deleteByJq });
  }
  return isFields(left) ? left : side;
}

/** An expression sees an Application with its name, and of it what a set keeps. */
function withoutNamed(
  value: unknown,
  { name, expressions, deleteByJq }: { name: string; expressions: readonly string[]; deleteByJq: DeleteByJq },
): unknown {
  if (!isFields(value)) return value;
  const metadata = isFields(value.metadata) ? value.metadata : {};
  const whole = {
    ...value,
    apiVersion: argoApiVersion,
    kind: "Application",
    metadata: { ...metadata, name },
  };
  return deleteByJq(whole, expressions);
}

/** Whether more is asked than fields by their paths: that takes a jq. */
export function needsJq(rules: Rules): boolean {
  return rules.some(({ jqPathExpressions = [] }) =>
    jqPathExpressions.some((one) => readJqPath(one) === undefined),
  );
}

/** Nothing outside metadata and the specification is compared anyway. */
function without(value: unknown, path: readonly string[]): unknown {
  return path.length === 0 ? value : withoutPath(value, path);
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

const step = /\.([A-Za-z_][A-Za-z0-9_]*)|\.?\["((?:[^"\\])*)"\]|\.?\[(\d+)\]/y;

/**
 * The path of a jq expression that is nothing but one: `.spec.source.targetRevision`, `.metadata.labels["a/b"]`.
 * Undefined: it is more.
 */
export function readJqPath(expression: string): string[] | undefined {
  const text = expression.trim();
  const path: string[] = [];
  for (let at = 0; at < text.length; ) {
    step.lastIndex = at;
    const [whole, name, quoted, index] = step.exec(text) ?? [];
    const part = name ?? quoted ?? index;
    if (whole === undefined || part === undefined) return undefined;
    path.push(part);
    at += whole.length;
  }
  return path;
}
