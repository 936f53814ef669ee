import type { FieldError, KubeObject } from "../types.ts";

/** What the names, versions and schemas of a CRD break, beyond what validateObject finds in any object. */
export function crdProblems(_crd: KubeObject): FieldError[] {
  return [];
}
