import type { KubeObject } from "../types.ts";
import { objectAt } from "./json.ts";

/** Fields behind a feature gate that is off are dropped: the strategies' dropDisabledFields. */
export function without(object: KubeObject, names: readonly string[], half = "spec"): KubeObject {
  const whole = objectAt(object, half);
  if (!whole || !names.some((name) => name in whole)) return object;
  const kept = Object.entries(whole).filter(([name]) => !names.includes(name));
  return { ...object, [half]: Object.fromEntries(kept) };
}
