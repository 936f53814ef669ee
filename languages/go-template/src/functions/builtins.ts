import { define, defineRest, type GoFunction, type GoFunctions } from "../execute/functions.ts";
import { formatValues } from "../values/format-values.ts";
import { printAll, printValue } from "../values/print-value.ts";
import { byteLength, bytesOf, cutBytes } from "../values/text-bytes.ts";
import {
  GoCallable,
  GoInt,
  GoList,
  GoMap,
  isTrue,
  type Spend,
  typeName,
  type Value,
} from "../values/value.ts";
import { isEqual, isLess } from "./compare.ts";

/** Go's own functions (text/template/funcs.go). `and` and `or` are played where calls are, since they stop early. */
export const builtins: GoFunctions = {
  and: defineRest(["value"], "value", ([first]) => first),
  or: defineRest(["value"], "value", ([first]) => first),
  not: define(["value"], ([value]) => !isTrue(value)),
  call: defineRest(["value"], "value", ([value], given) => {
    if (value === undefined || value === null) throw new Error("call of nil");
    if (!(value instanceof GoCallable)) throw new Error(`non-function of type ${typeName(value)}`);
    if (given.length !== value.parameters)
      throw new Error(`wrong number of args: got ${given.length} want ${value.parameters}`);
    const texts = given.map((one, index) => {
      if (typeof one === "string") return one;
      throw new Error(`arg ${index}: value has type ${typeName(one)}; should be string`);
    });
    return value.run(texts);
  }),
  index: defineRest(["value"], "value", ([value], keys) => keys.reduce(indexOne, notNil(value, "index"))),
  slice: defineRest(["value"], "value", ([value], bounds) => slice(value, bounds)),
  len: define(["value"], ([value]) => new GoInt(lengthOf(value))),
  eq: defineRest(["value"], "value", ([left], others) => {
    if (others.length === 0) throw new Error("missing argument for comparison");
    return others.some((right) => isEqual(left, right));
  }),
  ne: define(["value", "value"], ([left, right]) => !isEqual(left, right)),
  lt: define(["value", "value"], ([left, right]) => isLess(left, right)),
  le: define(["value", "value"], ([left, right]) => isLess(left, right) || isEqual(left, right)),
  gt: define(["value", "value"], ([left, right]) => !isLess(left, right) && !isEqual(left, right)),
  ge: define(["value", "value"], ([left, right]) => !isLess(left, right)),
  print: printer(printAll),
  println: printer((values, spend) => `${values.map((one) => printValue(one, spend)).join(" ")}\n`),
  printf: defineRest(["string"], "any", ([format], values, { spend }) => {
    spend(format.length);
    const text = formatValues(format, values, spend);
    spend(text.length);
    return text;
  }),
  html: printer((values, spend) =>
    printPlain(values, spend).replace(/["'&<>\0]/g, (char) => htmlEscapes[char] ?? char),
  ),
  js: printer((values, spend) => escapeScript(printPlain(values, spend))),
  urlquery: printer((values, spend) => encodeQuery(printPlain(values, spend))),
};

function printer(print: (values: readonly Value[], spend: Spend) => string): GoFunction {
  return defineRest([], "any", (_none, values, { spend }) => print(values, spend));
}

/** What the escaping functions print: a missing value as the page would show it. */
const printPlain = (values: readonly Value[], spend: Spend): string =>
  printAll(
    values.map((value) => (value === null || value === undefined ? "<no value>" : value)),
    spend,
  );

function notNil(value: Value, what: string): Value {
  if (value === undefined || value === null) throw new Error(`${what} of untyped nil`);
  return value;
}

function indexOne(value: Value, key: Value): Value {
  if (value === undefined || value === null) throw new Error("index of nil pointer");
  if (typeof value === "string") {
    const bytes = bytesOf(value);
    return new GoInt(bytes[boundOf(key, bytes.length, true)] ?? 0, "uint8");
  }
  if (value instanceof GoList) return value.items[boundOf(key, value.items.length, true)];
  if (!(value instanceof GoMap)) throw new Error(`can't index item of type ${typeName(value)}`);
  if (key === undefined || key === null) throw new Error("value is nil; should be of type string");
  if (typeof key !== "string") throw new Error(`value has type ${typeName(key)}; should be string`);
  return value.entries.get(key) ?? (value.element === "string" ? "" : null);
}

/** An index; `isElement`: the end itself is no element, which Go finds out by a panic. */
function boundOf(index: Value, length: number, isElement = false): number {
  if (index === undefined || index === null) throw new Error("cannot index slice/array with nil");
  if (!(index instanceof GoInt)) throw new Error(`cannot index slice/array with type ${typeName(index)}`);
  const at = Number(index.value);
  if (at < 0 || at > length) throw new Error(`index out of range: ${at}`);
  if (isElement && at === length) throw new Error("reflect: slice index out of range");
  return at;
}

function slice(value: Value, bounds: readonly Value[]): Value {
  notNil(value, "slice");
  if (bounds.length > 3) throw new Error(`too many slice indexes: ${bounds.length}`);
  const isText = typeof value === "string";
  if (!isText && !(value instanceof GoList)) throw new Error(`can't slice item of type ${typeName(value)}`);
  if (isText && bounds.length === 3) throw new Error("cannot 3-index slice a string");
  const length = isText ? byteLength(value) : value.items.length;
  const most = isText ? length : value.capacity;
  const [from = 0, to = length, end = most] = bounds.map((one) => boundOf(one, most));
  if (from > to) throw new Error(`invalid slice index: ${from} > ${to}`);
  if (to > end) throw new Error(`invalid slice index: ${to} > ${end}`);
  return isText ? cutBytes(value, from, to) : value.slice(from, to, end);
}

function lengthOf(value: Value): number {
  if (value === null) throw new Error("len of nil pointer");
  if (value === undefined) throw new Error("reflect: call of reflect.Value.Type on zero Value");
  if (typeof value === "string") return byteLength(value);
  if (value instanceof GoList) return value.items.length;
  if (value instanceof GoMap) return value.entries.size;
  throw new Error(`len of type ${typeName(value)}`);
}

const htmlEscapes: Readonly<Record<string, string>> = {
  '"': "&#34;",
  "'": "&#39;",
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "\0": "\ufffd",
};

const scriptEscapes: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "'": "\\'",
  '"': '\\"',
  "<": "\\u003C",
  ">": "\\u003E",
  "&": "\\u0026",
  "=": "\\u003D",
};

/** Go's JSEscapeString. */
function escapeScript(text: string): string {
  let escaped = "";
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    const hex = code.toString(16).toUpperCase().padStart(4, "0");
    const isPlain =
      code >= 0x20 && (code < 0x80 || !char.isWellFormed() || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(char));
    escaped += scriptEscapes[char] ?? (isPlain && code !== 0x7f ? char : `\\u${hex}`);
  }
  return escaped;
}

/** url.QueryEscape. */
function encodeQuery(text: string): string {
  const escaped = text.isWellFormed()
    ? encodeURIComponent(text)
    : [...text]
        .map((char) =>
          char.isWellFormed() ? encodeURIComponent(char) : `%${bytesOf(char).toString("hex").toUpperCase()}`,
        )
        .join("");
  return escaped
    .replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%20", "+");
}
