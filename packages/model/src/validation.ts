import { isRecord } from "@capstan/formats";
import { CapstanError } from "./failures/capstan-error.ts";
import type { FieldProblem } from "./failures/failure.ts";
import type { Manifest } from "./manifest.ts";
import { checkShape, withoutNulls } from "./schema/check-shape.ts";
import { isFlawless } from "./schema/is-flawless.ts";
import type { Schema } from "./schema/schema.ts";

export function errorsOf(problems: readonly FieldProblem[]): FieldProblem[] {
  return problems.filter(({ severity }) => severity === "error");
}

export function warningsOf(problems: readonly FieldProblem[]): FieldProblem[] {
  return problems.filter(({ severity }) => severity === "warning");
}

/** Errors, and fields that are surely typing errors: somebody meant them to do something. */
export function mistakesOf(problems: readonly FieldProblem[]): FieldProblem[] {
  return problems
    .filter(({ severity, meant }) => severity === "error" || meant !== undefined)
    .map((problem) => ({ ...problem, severity: "error" }));
}

export const fieldError = (field: string, message: string): FieldProblem => ({
  field,
  severity: "error",
  message,
});

export const fieldWarning = (field: string, message: string): FieldProblem => ({
  field,
  severity: "warning",
  message,
});

/** Whether a value has the shape of a noun; rules between fields are for the validate functions. */
export function hasShape<T>(schema: Schema<T>, value: unknown, known?: readonly FieldProblem[]): value is T {
  if (known === undefined && isFlawless(schema.shape, value)) return true;
  const problems = known ?? checkShape(schema.shape, value);
  return errorsOf(problems).length === 0 && withoutNulls(schema.shape, value) === value;
}

/**
 * The same of objects of a live state, which nobody changes (another version is another object): each is looked at once,
 * however many follow them. A tenant's may be a megabyte, and the status of a large set has thousands of rows.
 */
export function liveShape<T>(
  has: (value: unknown) => value is T,
): (object: Manifest | undefined) => object is Manifest & T {
  const known = new WeakMap<Manifest, boolean>();
  return (object): object is Manifest & T => {
    if (object === undefined) return false;
    const before = known.get(object);
    if (before !== undefined) return before;
    const verdict = has(object);
    known.set(object, verdict);
    return verdict;
  };
}

/** Shape first; the rules between fields only look at what has the right shape. */
export function validateNoun<T>(
  value: unknown,
  noun: { schema: Schema<T>; apiVersion: string },
  rules: (noun: T) => FieldProblem[],
): FieldProblem[] {
  const problems = checkShape(noun.schema.shape, value);
  if (isRecord(value) && typeof value.apiVersion === "string" && value.apiVersion !== noun.apiVersion) {
    problems.push(fieldError("apiVersion", `must be ${noun.apiVersion}, not ${value.apiVersion}`));
  }
  const clean = withoutNulls(noun.schema.shape, value);
  const ofClean = clean === value ? problems : undefined;
  if (errorsOf(problems).length > 0 || !hasShape(noun.schema, clean, ofClean)) return problems;
  return [...problems, ...rules(clean)];
}

/** The value as a noun, nulls left out; throws INVALID_SPEC with everything that is wrong with its shape. */
export function readNoun<T>(schema: Schema<T>, value: unknown): T {
  const clean = withoutNulls(schema.shape, value);
  if (hasShape(schema, clean)) return clean;
  const kind = isRecord(value) && typeof value.kind === "string" ? value.kind : "the object";
  const metadata = isRecord(value) ? value.metadata : undefined;
  const name = isRecord(metadata) && typeof metadata.name === "string" ? ` ${metadata.name}` : "";
  throw new CapstanError({
    code: "INVALID_SPEC",
    what: `${kind}${name}`,
    problems: errorsOf(checkShape(schema.shape, value)),
  });
}
