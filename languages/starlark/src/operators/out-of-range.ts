import { StarlarkError } from "../script-error.ts";
import { typeOf, type Value } from "../values/value.ts";

export function outOfRange(index: number, length: number, target: Value): StarlarkError {
  const type = typeOf(target);
  if (length === 0) return new StarlarkError(`index ${index} out of range: empty ${type}`);
  return new StarlarkError(`${type} index ${index} out of range [${-length}:${length - 1}]`);
}
