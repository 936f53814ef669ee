import { argoApiVersion } from "../application/application.ts";
import type { FieldProblem } from "../failures/failure.ts";
import { fieldError, fieldWarning, hasShape, liveShape, validateNoun } from "../validation.ts";
import { type ApplicationSet, applicationSetSchema } from "./application-set.ts";
import type { ApplicationSetGenerator, NestedGenerator, TerminalGenerator } from "./generators.ts";

const noun = { schema: applicationSetSchema, apiVersion: argoApiVersion };

export function validateApplicationSet(value: unknown): FieldProblem[] {
  return validateNoun(value, noun, applicationSetRules);
}

export function isApplicationSet(value: unknown): value is ApplicationSet {
  return hasShape(applicationSetSchema, value);
}

/** Of an object of a live state. */
export const isLiveSet = liveShape(isApplicationSet);

function applicationSetRules({ spec }: ApplicationSet): FieldProblem[] {
  const problems = spec.generators.flatMap((generator, index) =>
    generatorRules(generator, `spec.generators[${index}]`),
  );
  if (spec.generators.length === 0)
    problems.push(fieldWarning("spec.generators", "is empty: no applications"));
  if ((spec.goTemplateOptions ?? []).length > 0 && spec.goTemplate !== true) {
    problems.push(fieldWarning("spec.goTemplateOptions", "has no effect without goTemplate: true"));
  }
  if ((spec.template.metadata.name ?? "") === "") {
    problems.push(fieldError("spec.template.metadata.name", "is missing: the applications need names"));
  }
  return [...problems, ...strategyRules(spec.strategy)];
}

/** Names of the generators that an entry configures. */
export function generatorsOf(
  generator: ApplicationSetGenerator | NestedGenerator | TerminalGenerator,
): string[] {
  const { selector: _selector, ...kinds } = generator;
  return Object.entries(kinds)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name]) => name);
}

function generatorRules(generator: ApplicationSetGenerator | NestedGenerator, field: string): FieldProblem[] {
  const problems = onlyOne(generator, field);
  const { git, matrix, merge } = generator;
  if (git !== undefined && git.directories === undefined && git.files === undefined) {
    problems.push(fieldError(`${field}.git`, "needs directories or files"));
  }
  if (matrix !== undefined && matrix.generators.length !== 2) {
    problems.push(
      fieldError(`${field}.matrix.generators`, `needs two entries, not ${matrix.generators.length}`),
    );
  }
  if (merge !== undefined && merge.generators.length < 2) {
    problems.push(fieldError(`${field}.merge.generators`, "needs two entries or more"));
  }
  if (merge !== undefined && merge.mergeKeys.length === 0) {
    problems.push(
      fieldError(`${field}.merge.mergeKeys`, "is empty: name the parameters by which sets are joined"),
    );
  }
  for (const [name, nested] of Object.entries({ matrix, merge })) {
    for (const [index, child] of (nested?.generators ?? []).entries()) {
      problems.push(...generatorRules(child, `${field}.${name}.generators[${index}]`));
    }
  }
  return problems;
}

function onlyOne(generator: ApplicationSetGenerator | NestedGenerator, field: string): FieldProblem[] {
  const names = generatorsOf(generator);
  if (names.length === 0) return [fieldError(field, "names no generator")];
  return names.length === 1
    ? []
    : [fieldError(field, `has several generators (${names.join(", ")}); give each an entry of its own`)];
}

function strategyRules(strategy: ApplicationSet["spec"]["strategy"]): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const type = strategy?.type ?? "";
  if (type !== "" && type !== "AllAtOnce" && type !== "RollingSync") {
    problems.push(fieldWarning("spec.strategy.type", `"${type}" is unknown and counts as AllAtOnce`));
  }
  const steps = strategy?.rollingSync?.steps ?? [];
  if (type === "RollingSync" && steps.length === 0) {
    problems.push(
      fieldError("spec.strategy.rollingSync.steps", "is empty: RollingSync needs at least one step"),
    );
  }
  for (const [index, { matchExpressions = [], maxUpdate }] of steps.entries()) {
    const field = `spec.strategy.rollingSync.steps[${index}]`;
    for (const [at, { operator }] of matchExpressions.entries()) {
      if (operator === "In" || operator === "NotIn") continue;
      problems.push(
        fieldError(`${field}.matchExpressions[${at}].operator`, `must be In or NotIn, not ${operator}`),
      );
    }
    if (typeof maxUpdate === "string" && !/^\d+%?$/.test(maxUpdate)) {
      problems.push(fieldError(`${field}.maxUpdate`, `"${maxUpdate}" is neither a number nor a percentage`));
    }
  }
  return problems;
}
