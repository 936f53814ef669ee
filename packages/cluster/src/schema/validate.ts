import type { FieldError, KubeObject, ResourceInfo } from "../types.ts";
import type { ResolvedSchema } from "./resolved-schema.ts";

export interface Validation {
  schema: ResolvedSchema;
  info: ResourceInfo;
  object: KubeObject;
  previous?: KubeObject;
}

export function validateObject(_input: Validation): FieldError[] {
  return [];
}
