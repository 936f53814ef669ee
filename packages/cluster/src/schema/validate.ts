import type { FieldError, KubeObject, ResourceInfo } from "../types.ts";
import type { ResolvedSchema } from "./resolved-schema.ts";
import { validateCustom } from "./validation/custom.ts";
import { kindRules } from "./validation/kinds.ts";
import { validateMetadata } from "./validation/metadata.ts";
import { Report } from "./validation/report.ts";
import { validateRules } from "./validation/rules.ts";
import { statusRules } from "./validation/status.ts";
import { validateTypes } from "./validation/types.ts";

export interface Validation {
  schema: ResolvedSchema;
  info: ResourceInfo;
  /** Defaulted and prepared for writing. */
  object: KubeObject;
  /** The stored object, when this is an update. */
  previous?: KubeObject;
  subresource?: string;
}

/** What the API server would refuse the object for, as the causes of its 422. Of CRDs, crdProblems has the rest. */
export function validateObject(validation: Validation): FieldError[] {
  const { schema, info, object, previous, subresource } = validation;
  const report = new Report();
  validateMetadata(report, info, { object, previous });
  if (schema.custom) {
    validateCustom(report, schema, object);
    validateRules(report, { schema: schema.schema, object, previous });
    return report.errors;
  }
  const ofStatus =
    subresource === "status" && previous ? statusRules[`${info.group}/${info.kind}`] : undefined;
  if (ofStatus) {
    ofStatus(report, object, previous);
    return report.errors;
  }
  kindRules[`${info.group}/${info.kind}`]?.(report, object, previous);
  if (info.kind !== "CustomResourceDefinition") validateTypes(report, schema, object);
  return report.errors;
}
