import { stringifyJson } from "@capstan/formats";
import type { Report } from "../schema/validation/report.ts";
import type { FieldError, KubeObject, Schema } from "../types.ts";
import { cel } from "./loaded.ts";

const key = "x-kubernetes-validations";
const known = new WeakMap<Schema, boolean>();

/** Whether a schema or anything below it has rules. */
export function hasRules(schema: Schema): boolean {
  const found = known.get(schema) ?? stringifyJson(schema).includes(`"${key}":[{`);
  known.set(schema, found);
  return found;
}

/** What keeps rules from being evaluated at all (apiextensions-apiserver customresource/strategy.go hasBlockingErr). */
const blocking = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

const notChecked: FieldError = {
  reason: "FieldValueInvalid",
  field: "<nil>",
  message:
    "Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
};

interface Change {
  schema: Schema;
  object: KubeObject;
  previous: KubeObject | undefined;
}

/** x-kubernetes-validations of a custom resource. */
export function validateRules(report: Report, { schema, object, previous }: Change): void {
  if (!hasRules(schema)) return;
  if (report.errors.some(({ reason }) => blocking.has(reason))) report.errors.push(notChecked);
  else report.errors.push(...cel().checkRules({ schema, value: object, previous, field: "" }));
}
