import { isObject, type JsonObject, listAt, textAt } from "../schema/json.ts";
import type { FieldError, KubeObject } from "../types.ts";
import { withinRequest } from "./budget.ts";
import { type Compiled, compile } from "./expression.ts";
import {
  compileAll,
  compileScope,
  type Denial,
  expressionProblems,
  failed,
  meets,
  type Named,
  onceFor,
  type PolicyScope,
  run,
  scopeProblems,
  type Values,
  withVariables,
} from "./policy-scope.ts";

interface Validation extends Named {
  readonly message: Compiled | undefined;
  readonly written: JsonObject;
}

export interface Policy extends PolicyScope {
  readonly validations: readonly Validation[];
  readonly annotations: readonly Named[];
}

/** The expressions of a ValidatingAdmissionPolicy. */
export const policyOf = onceFor(compilePolicy);

function compilePolicy(policy: KubeObject): Policy {
  const shared = compileScope(policy);
  const validations = compileAll(listAt(policy, "spec", "validations"), shared.scope).map(
    (one, index): Validation => {
      const written = listAt(policy, "spec", "validations").filter(isObject)[index] ?? {};
      const message = textAt(written, "messageExpression");
      return { ...one, written, message: message === "" ? undefined : compile(shared.scope, message) };
    },
  );
  const annotations = listAt(policy, "spec", "auditAnnotations")
    .filter(isObject)
    .map((one): Named => {
      const expression = textAt(one, "valueExpression");
      return { name: textAt(one, "key"), expression, compiled: compile(shared.scope, expression.trim()) };
    });
  return { ...shared, validations, annotations };
}

const reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge"];

function unknownReason(index: number, reason: string): FieldError {
  const supported = reasons.map((one) => JSON.stringify(one)).join(", ");
  const message = `Unsupported value: ${JSON.stringify(reason)}: supported values: ${supported}`;
  return { reason: "FieldValueNotSupported", field: `spec.validations[${index}].reason`, message };
}

/** What is wrong with the expressions of a policy. */
export function policyProblems(policy: KubeObject): FieldError[] {
  const compiled = policyOf(policy);
  return [
    ...scopeProblems(compiled),
    ...compiled.validations.flatMap(validationProblems),
    ...compiled.annotations.flatMap((one, index) =>
      expressionProblems(`spec.auditAnnotations[${index}].valueExpression`, one, ""),
    ),
  ];
}

function validationProblems(validation: Validation, index: number): FieldError[] {
  const { written, message } = validation;
  const place = `spec.validations[${index}]`;
  const reason = textAt(written, "reason");
  const expression = textAt(written, "messageExpression");
  return [
    ...expressionProblems(`${place}.expression`, validation, "bool"),
    ...(written.reason === undefined || reasons.includes(reason) ? [] : [unknownReason(index, reason)]),
    ...(message === undefined
      ? []
      : expressionProblems(
          `${place}.messageExpression`,
          { name: "", expression, compiled: message },
          "string",
        )),
  ];
}

/** What a policy has against a request with these values; undefined where its conditions do not hold. */
export function judgePolicy(policy: Policy, values: Values): Denial[] {
  return withinRequest(() => judgeNow(policy, values));
}

function judgeNow(policy: Policy, values: Values): Denial[] {
  const met = meets(policy, values);
  if (met === false) return [];
  if (met !== true) return policy.ignoresErrors ? [] : met;
  const all = withVariables(policy, values);
  return policy.validations.flatMap((validation) => judge(policy, validation, all));
}

function judge({ ignoresErrors }: Policy, validation: Validation, values: Values): Denial[] {
  const { compiled, expression, message, written } = validation;
  const outcome = run(compiled, values);
  if (outcome.error !== undefined) return ignoresErrors ? [] : [failed(expression, outcome.error)];
  if (outcome.value === true) return [];
  const made = message === undefined ? undefined : run(message, values).value;
  const told = typeof made === "string" && made.trim() !== "" && !made.includes("\n") ? made.trim() : "";
  const fixed = textAt(written, "message").trim() || `failed expression: ${expression.trim()}`;
  return [{ message: told || fixed, reason: textAt(written, "reason") || "Invalid" }];
}
