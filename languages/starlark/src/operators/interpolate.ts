import { StarlarkError } from "../script-error.ts";
import { isNumber } from "../values/compare.ts";
import { type FloatVerb, formatFloat } from "../values/format-float.ts";
import { StarDict } from "../values/mappings.ts";
import { display, maxText, repr } from "../values/print-value.ts";
import { StarTuple } from "../values/sequences.ts";
import { runeBytes } from "../values/utf8.ts";
import { isOneRune, typeOf, type Value } from "../values/value.ts";
import { named } from "./indices.ts";
import { truncate } from "./truncate.ts";

/** `format % values` (go.starlark.net, interpolate): no flags, widths or precisions. */
export function interpolate(format: string, values: Value): string {
  const list = values instanceof StarTuple ? values.items : [values];
  let next = 0;
  let text = "";
  for (let at = 0; ; ) {
    const percent = format.indexOf("%", at);
    text += format.slice(at, percent < 0 ? undefined : percent);
    if (text.length > maxText)
      throw new StarlarkError(`the text of a format is longer than ${maxText} bytes`);
    if (percent < 0) break;
    at = percent + 1;
    if (format[at] === "%") {
      text += "%";
      at++;
      continue;
    }
    const value = takeValue();
    const verb = format[at++];
    if (verb === undefined) throw new StarlarkError("incomplete format");
    text += convert(verb, value);
    next++;

    function takeValue(): Value {
      if (format[at] !== "(") {
        const value = list[next];
        if (value === undefined) throw new StarlarkError("not enough arguments for format string");
        return value;
      }
      const end = format.indexOf(")", at);
      if (end < 0) throw new StarlarkError("incomplete format key");
      const key = format.slice(at + 1, end);
      at = end + 1;
      if (!(values instanceof StarDict)) throw new StarlarkError("format requires a mapping");
      const value = values.get(key);
      if (value === undefined) throw new StarlarkError(`key not found: ${key}`);
      return value;
    }
  }
  if (next < list.length && !(values instanceof StarDict))
    throw new StarlarkError("too many arguments for format string");
  return text;
}

function convert(verb: string, value: Value): string {
  switch (verb) {
    case "s":
      return display(value);
    case "r":
      return repr(value);
    case "d":
    case "i":
    case "o":
    case "x":
    case "X":
      return formatInt(verb, value);
    case "e":
    case "f":
    case "g":
    case "E":
    case "F":
    case "G":
      return formatNumber(verb, value);
    case "c":
      return formatCharacter(value);
    case "%":
      return "%";
    default:
      throw new StarlarkError(`unknown conversion %${verb}`);
  }
}

function formatInt(verb: "d" | "i" | "o" | "x" | "X", value: Value): string {
  const int = named(`%${verb} format requires integer`, () => truncate(value));
  if (verb === "d" || verb === "i") return String(int);
  const text = int.toString(verb === "o" ? 8 : 16);
  return verb === "X" ? text.toUpperCase() : text;
}

function formatNumber(verb: FloatVerb, value: Value): string {
  if (!isNumber(value)) throw new StarlarkError(`%${verb} format requires float, not ${typeOf(value)}`);
  return formatFloat(Number(value), verb);
}

function formatCharacter(value: Value): string {
  if (typeof value === "bigint") {
    if (value < 0n || value > 0x10ffffn)
      throw new StarlarkError(`%c format requires a valid Unicode code point, got ${value}`);
    return runeBytes(Number(value));
  }
  if (typeof value !== "string")
    throw new StarlarkError(`%c format requires int or single-character string, not ${typeOf(value)}`);
  if (!isOneRune(value)) throw new StarlarkError("%c format requires a single-character string");
  return value;
}
