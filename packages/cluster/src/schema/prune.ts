import type { KubeObject } from "../types.ts";
import type { ResolvedSchema } from "./resolved-schema.ts";

export function pruneUnknown(
  _schema: ResolvedSchema,
  object: KubeObject,
): { object: KubeObject; unknown: string[] } {
  return { object, unknown: [] };
}
