import type { YamlValue } from "@capstan/krm-yaml";
import { StarlarkError } from "./script-error.ts";
import { StarDict } from "./values/mappings.ts";
import { display } from "./values/print-value.ts";
import { StarList, StarTuple } from "./values/sequences.ts";
import { spend } from "./values/steps.ts";
import { toBytes, toText } from "./values/utf8.ts";
import { StarObject, typeOf, type Value } from "./values/value.ts";

/** Nesting that data may have; a list that holds itself has more. */
const maxDepth = 500;
const maxNodes = 2_000_000;

/** Data as values of a script (qri-io/starlib util.Marshal). */
export function fromData(data: YamlValue): Value {
  if (typeof data === "string") return toBytes(data);
  if (Array.isArray(data)) return new StarList(data.map(fromData));
  if (data instanceof Map)
    return StarDict.of([...data].map(([key, value]) => [toBytes(key), fromData(value)]));
  return data;
}

/** The way back (util.Unmarshal). Throws where a value is no data. */
export function toData(root: Value): YamlValue {
  let nodes = 0;
  return convert(root, 0);

  function convert(value: Value, depth: number): YamlValue {
    spend(1);
    if (++nodes > maxNodes) throw new StarlarkError(`the resource list has more than ${maxNodes} values`);
    if (depth > maxDepth)
      throw new StarlarkError(`the resource list is nested more than ${maxDepth} deep, or holds itself`);
    if (typeof value === "string") return toText(value);
    if (value instanceof StarObject) return convertObject(value, depth + 1);
    if (typeof value === "bigint" && BigInt.asIntN(64, value) !== value)
      throw new StarlarkError(`${value} out of range (want value in signed 64-bit range)`);
    return value;
  }

  function convertObject(value: StarObject, depth: number): YamlValue {
    if (value instanceof StarList || value instanceof StarTuple)
      return value.items.map((item) => convert(item, depth));
    if (!(value instanceof StarDict)) throw new StarlarkError(`unrecognized starlark type: ${typeOf(value)}`);
    return new Map(value.entries().map(([key, one]) => [keyText(key), convert(one, depth)]));
  }
}

/** YAML reads back what stands for a key that is no string. */
const keyText = (key: Value): string =>
  key === null ? "null" : typeof key === "boolean" ? String(key) : toText(display(key));
