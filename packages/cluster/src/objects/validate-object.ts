import { validateRules } from "../cel/custom-rules.ts";
import type { KindRules } from "../registry/kind-rules.ts";
import type { ResolvedSchema } from "../schema/resolved-schema.ts";
import { validateCustom } from "../schema/validation/custom.ts";
import { validateMetadata } from "../schema/validation/metadata.ts";
import { Report } from "../schema/validation/report.ts";
import { validateTypes } from "../schema/validation/types.ts";
import type { FieldError, KubeObject } from "../types.ts";

export interface Validation {
  schema: ResolvedSchema;
  rules: KindRules;
  /** Defaulted and prepared for writing. */
  object: KubeObject;
  /** The stored object, when this is an update. */
  previous?: KubeObject;
  subresource?: string;
  /** What has not changed since is valid. */
  fits?: KubeObject | undefined;
}

/** What the API server would refuse the object for, as the causes of its 422. Of CRDs, crdProblems has the rest. */
export function validateObject(validation: Validation): FieldError[] {
  const { schema, rules, object, previous, subresource, fits } = validation;
  const report = new Report();
  validateMetadata(report, rules, { object, previous });
  if (schema.custom) {
    validateCustom(report, schema, { object, fits });
    validateRules(report, { schema: schema.schema, object, previous });
  } else if (subresource === "status" && previous && rules.validateStatus)
    rules.validateStatus(report, object, previous);
  else {
    rules.validate?.(report, object, previous);
    if (!rules.checksItsTypes) validateTypes(report, schema, { object, rules });
  }
  return report.errors;
}
