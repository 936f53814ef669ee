import { GoInt, GoList, GoMap, GoTime, NilMap, typeName, type Value } from "../values/value.ts";
import type { ParameterType } from "./functions.ts";

/** Go's name of a parameter's type. */
export const goType: Readonly<Record<ParameterType, string>> = {
  any: "interface {}",
  value: "reflect.Value",
  string: "string",
  int: "int",
  float64: "float64",
  bool: "bool",
  map: "map[string]interface {}",
  time: "time.Time",
  duration: "time.Duration",
};

/** Takes nil: interfaces and maps. */
export const canBeNil = (type: ParameterType): boolean =>
  type === "any" || type === "value" || type === "map";

/** A value as the parameter takes it; a problem in Go's words where it does not (exec.go validateType). */
export function checkArgument(value: Value, type: ParameterType): { value: Value } | { problem: string } {
  if (type === "value") return { value };
  if (value === undefined) {
    if (type === "any") return { value: null };
    return type === "map" ? { value: new NilMap() } : { problem: `invalid value; expected ${goType[type]}` };
  }
  if (type === "any") return { value };
  if (value === null) return wrong("interface {}");
  if (type === "int" && value instanceof GoInt && value.type === "int") return { value: Number(value.value) };
  if (type === "duration" && value instanceof GoInt && value.type === "time.Duration") return { value };
  if (type === "map" && value instanceof GoMap && value.element === "interface {}") return { value };
  if (type === "time" && value instanceof GoTime) return { value };
  return typeName(value) === goType[type] && !(value instanceof GoInt) && !(value instanceof GoList)
    ? { value }
    : wrong(typeName(value));

  function wrong(given: string): { problem: string } {
    return { problem: `wrong type for value; expected ${goType[type]}; got ${given}` };
  }
}
