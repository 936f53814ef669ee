import type { KubeObject } from "../types.ts";
import { objectAt, sameJson } from "./json.ts";
import { podWarnings } from "./pod-warnings.ts";

/** What of the kind is allowed, and hardly meant: the strategies' WarningsOnCreate and WarningsOnUpdate. */
export interface WarningRules {
  /** Where its Pod template is, which is warned of as a Pod's specification is. */
  readonly podTemplate?: readonly string[];
  readonly warnings?: (object: KubeObject, previous: KubeObject | undefined) => string[];
}

export function objectWarnings(
  { podTemplate, warnings }: WarningRules,
  object: KubeObject,
  previous?: KubeObject,
): string[] {
  if (podTemplate === undefined) return warnings?.(object, previous) ?? [];
  const path = [...podTemplate, "spec"];
  const isSame = previous !== undefined && sameJson(specOf(object), specOf(previous));
  const spec = objectAt(object, ...path);
  return isSame || !spec ? [] : podWarnings(spec, path.join("."));
}

const specOf = (object: KubeObject): unknown => object.spec ?? object.template;
