import type { ApiError, KubeObject, ResourceInfo } from "../types.ts";
import type { ResolvedSchema } from "./resolved-schema.ts";

/** Why Go could not decode the object, as the 400 that the API server answers; empty when it could. */
export function decodeProblems(
  _schema: ResolvedSchema,
  _info: ResourceInfo,
  _object: KubeObject,
): ApiError[] {
  return [];
}
