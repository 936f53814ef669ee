import { native } from "../builtins/arguments.ts";
import { named } from "../operators/indices.ts";
import { StarlarkError } from "../script-error.ts";
import { Module } from "../values/callables.ts";
import { StarDict } from "../values/mappings.ts";
import { repr } from "../values/print-value.ts";
import { spend } from "../values/steps.ts";
import { toBytes, toText } from "../values/utf8.ts";
import { StarObject, typeOf, type Value } from "../values/value.ts";
import { indentJson } from "./indent-json.ts";
import { parseJson } from "./parse-json.ts";

/** go.starlark.net/lib/json. */
export const jsonModule = new Module("json", [
  ["encode", native("json.encode", (args) => args.naming(() => encode(args.take(1).value(0))))],
  [
    "encode_indent",
    native("json.encode_indent", (args) => {
      const layout = layoutOf(args.onlyNamed().fit("prefix?", "indent?"));
      const value = args.onlyPositional().take(1).value(0);
      return args.naming(() => indentJson(encode(value), layout));
    }),
  ],
  [
    "indent",
    native("json.indent", (args) => {
      const layout = layoutOf(args.onlyNamed().fit("prefix?", "indent?"));
      const text = args.onlyPositional().take(1).text(0);
      return args.naming(() => indentJson(text, layout));
    }),
  ],
  [
    "decode",
    native("json.decode", (args) => {
      const text = args.fit("x", "default?").text(0);
      if (args.positional.length === 0) throw args.error("unexpected keyword argument x");
      const fallback = args.optional(1);
      try {
        return args.naming(() => parseJson(text));
      } catch (error) {
        if (fallback === undefined || !(error instanceof StarlarkError)) throw error;
        return fallback;
      }
    }),
  ],
]);

const layoutOf = (args: {
  text: (index: number, fallback: string) => string;
}): { prefix: string; indent: string } => ({
  prefix: args.text(0, ""),
  indent: args.text(1, "\t"),
});

function encode(root: Value): string {
  const open = new Set<Value>();
  return write(root);

  function write(value: Value): string {
    spend(1);
    if (value instanceof StarObject) return writeObject(value);
    if (value === null || typeof value === "boolean") return String(value);
    if (typeof value === "string") return encodeText(value);
    if (typeof value === "number" && !Number.isFinite(value))
      throw new StarlarkError(`cannot encode non-finite float ${repr(value)}`);
    return repr(value);
  }

  function writeObject(value: StarObject): string {
    if (open.has(value)) throw new StarlarkError("cycle in JSON structure");
    open.add(value);
    const text = writeParts(value);
    open.delete(value);
    return text;
  }

  function writeParts(value: StarObject): string {
    const json = value.json();
    if (json !== undefined) return json;
    if (value instanceof StarDict) return writeDict(value);
    const elements = value.elements();
    if (elements) {
      const parts = [...elements].map((one, index) =>
        named(`at ${value.type} index ${index}`, () => write(one)),
      );
      return `[${parts.join(",")}]`;
    }
    const names = value.attributeNames().sort();
    if (names.length === 0) throw new StarlarkError(`cannot encode ${value.type} as JSON`);
    const fields = names.map((name) => {
      const field = value.attribute(name) ?? null;
      return `${encodeText(name)}:${named(`in field .${name}`, () => write(field))}`;
    });
    return `{${fields.join(",")}}`;
  }

  function writeDict(dict: StarDict): string {
    const entries = dict.entries().map(([key, value]) => {
      if (typeof key !== "string") throw new StarlarkError(`dict has ${typeOf(key)} key, want string`);
      return { key, value };
    });
    entries.sort((one, other) => (one.key < other.key ? -1 : 1));
    const parts = entries.map(
      ({ key, value }) => `${encodeText(key)}:${named(`in dict key ${repr(key)}`, () => write(value))}`,
    );
    return `{${parts.join(",")}}`;
  }
}

/** As encoding/json does where the text is more than printable ASCII: safe within HTML. */
export function encodeText(bytes: string): string {
  const isPlain = /^[\x20-\x7e]*$/.test(bytes);
  const text = JSON.stringify(toText(bytes));
  if (isPlain) return text;
  return toBytes(
    text.replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );
}
