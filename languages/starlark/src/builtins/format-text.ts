import { StarlarkError } from "../script-error.ts";
import type { NamedArgument } from "../values/callables.ts";
import { display, maxText, repr } from "../values/print-value.ts";
import type { Value } from "../values/value.ts";

const fail = (problem: string): StarlarkError => new StarlarkError(`format: ${problem}`);

/** `text.format(…)`: names and numbers in braces, without Python's attributes, elements and widths. */
export function formatText(
  format: string,
  positional: readonly Value[],
  named: readonly NamedArgument[],
): string {
  const names = new Map(named);
  let numbering: "automatic" | "manual" | undefined;
  let next = 0;
  let text = "";
  for (let at = 0; at < format.length; ) {
    const brace = /[{}]/.exec(format.slice(at))?.index ?? -1;
    text += format.slice(at, brace < 0 ? undefined : at + brace);
    if (text.length > maxText) throw fail(`the text is longer than ${maxText} bytes`);
    if (brace < 0) break;
    at += brace;
    if (format[at + 1] === format[at]) {
      text += format[at];
      at += 2;
      continue;
    }
    if (format[at] === "}") throw fail("single '}' in format");
    const end = format.indexOf("}", at);
    if (end < 0) throw fail("unmatched '{' in format");
    text += replacement(format.slice(at + 1, end));
    at = end + 1;
  }
  return text;

  function replacement(field: string): string {
    const { name, conversion, spec } = readField(field);
    const value = lookUp(name);
    if (spec !== "")
      throw new StarlarkError(`format spec features not supported in replacement fields: ${spec}`);
    if (conversion === "s") return display(value);
    if (conversion === "r") return repr(value);
    throw fail(`unknown conversion ${JSON.stringify(conversion)}`);
  }

  function lookUp(name: string): Value {
    if (!/^\d*$/.test(name)) return namedValue(name, names);
    const kind = name === "" ? "automatic" : "manual";
    if (numbering !== undefined && numbering !== kind) {
      const change =
        kind === "automatic"
          ? "from manual field specification to automatic field numbering"
          : "from automatic field numbering to manual field specification";
      throw fail(`cannot switch ${change}`);
    }
    numbering = kind;
    const value = positional[name === "" ? next++ : Number(name)];
    if (value === undefined) throw fail("tuple index out of range");
    return value;
  }
}

/** `name!conversion:spec`. */
function readField(field: string): { name: string; conversion: string; spec: string } {
  const [before, after] = cut(field, "!");
  if (after !== undefined) {
    const [conversion, spec = ""] = cut(after, ":");
    return { name: before, conversion, spec };
  }
  const [name, spec = ""] = cut(field, ":");
  return { name, conversion: "s", spec };
}

function cut(text: string, at: string): [string, string | undefined] {
  const index = text.indexOf(at);
  return index < 0 ? [text, undefined] : [text.slice(0, index), text.slice(index + 1)];
}

function namedValue(name: string, names: ReadonlyMap<string, Value>): Value {
  const value = names.get(name);
  if (value !== undefined) return value;
  const notSupported = "is not supported in replacement fields";
  if (name.includes(".")) throw fail(`attribute syntax x.y ${notSupported}: ${name}`);
  if (name.includes("[")) throw fail(`element syntax a[i] ${notSupported}: ${name}`);
  if (name.includes("{")) throw fail("nested replacement fields not supported");
  throw fail(`keyword ${name} not found`);
}
