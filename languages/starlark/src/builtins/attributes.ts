import { nearestName } from "../operators/nearest-name.ts";
import { StarlarkError } from "../script-error.ts";
import { StarObject, typeOf, type Value } from "../values/value.ts";
import { methodNames, methodOf } from "./methods.ts";

/** `value.name`; undefined where there is none. */
export function attributeOf(value: Value, name: string): Value | undefined {
  const method = methodOf(value, name);
  if (method) return method;
  return value instanceof StarObject ? value.attribute(name) : undefined;
}

export function attributeNames(value: Value): string[] {
  const own = value instanceof StarObject ? value.attributeNames() : [];
  return [...own, ...methodNames(value)].sort();
}

export function getAttribute(value: Value, name: string): Value {
  try {
    const found = attributeOf(value, name);
    if (found !== undefined) return found;
  } catch (error) {
    if (!(error instanceof StarlarkError)) throw error;
    throw new StarlarkError(error.message + hint(value, name));
  }
  throw new StarlarkError(`${typeOf(value)} has no .${name} field or method${hint(value, name)}`);
}

export function setAttribute(target: Value, name: string): never {
  throw new StarlarkError(`can't assign to .${name} field of ${typeOf(target)}`);
}

function hint(value: Value, name: string): string {
  const near = nearestName(name, attributeNames(value));
  return near === undefined ? "" : ` (did you mean .${near}?)`;
}
