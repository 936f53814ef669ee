import type { KubeObject, ResourceInfo } from "../types.ts";
import type { ResolvedSchema } from "./resolved-schema.ts";

export function withDefaults(_schema: ResolvedSchema, _info: ResourceInfo, object: KubeObject): KubeObject {
  return object;
}
