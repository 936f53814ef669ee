import { StarlarkError } from "../script-error.ts";
import { formatFloat } from "./format-float.ts";
import { StarDict, StarSet } from "./mappings.ts";
import { quote } from "./quote.ts";
import { StarList } from "./sequences.ts";
import { spend } from "./steps.ts";
import { StarObject, type Value } from "./value.ts";

/** Longest text that a script can make. */
export const maxText = 1 << 28;

/** As `repr` gives it. */
export function repr(value: Value): string {
  const open = new Set<StarObject>();
  let length = 0;
  return write(value);

  function write(one: Value): string {
    spend(1);
    const text = one instanceof StarObject ? writeObject(one) : writePlain(one);
    length += text.length;
    if (length > maxText) throw new StarlarkError(`the text of a value is longer than ${maxText} bytes`);
    return text;
  }

  function writeObject(one: StarObject): string {
    const mayHoldItself = one instanceof StarList || one instanceof StarDict || one instanceof StarSet;
    if (open.has(one)) return one instanceof StarDict ? "{...}" : "[...]";
    if (mayHoldItself) open.add(one);
    const text = one.repr(write);
    open.delete(one);
    return text;
  }
}

/** As `str` and `print` give it. */
export function display(value: Value): string {
  return typeof value === "string" ? value : repr(value);
}

function writePlain(value: null | boolean | bigint | number | string): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "bigint") return String(value);
  return typeof value === "number" ? formatFloat(value, "g") : quote(value);
}
