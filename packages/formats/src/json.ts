import { isRecord } from "./is-record.ts";
import { type JsonSurvey, surveyJson } from "./survey-json.ts";

declare global {
  interface JSON {
    rawJSON(text: string): object;
  }
}

/**
 * JSON as Go reads it: integers beyond 2^53 stay exact, as bigint. Texts without a run of 16 digits, which is
 * nearly all, take the ordinary parser alone. A reviver would do, and take twenty times as long: whoever writes one
 * long number into a text of megabytes would have the process to himself for seconds.
 */
const longNumber = /\d{16}/;
/** Nobody can write a text that begins so: what does was made here. */
const mark = `${crypto.getRandomValues(new Uint32Array(4)).join("-")}:`;

/** Throws SyntaxError. */
export function parseJson(text: string): unknown {
  if (!longNumber.test(text)) return JSON.parse(text);
  const { longIntegers } = surveyJson(text);
  if (longIntegers.length === 0) return JSON.parse(text);
  return withIntegers(parseMarked(text, longIntegers));
}

function parseMarked(text: string, places: JsonSurvey["longIntegers"]): unknown {
  let marked = "";
  let from = 0;
  for (const [begin, end] of places) {
    const sign = text[begin - 1] === "-" ? 1 : 0;
    marked += `${text.slice(from, begin - sign)}"${mark}${text.slice(begin - sign, end)}"`;
    from = end;
  }
  try {
    return JSON.parse(marked + text.slice(from));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return JSON.parse(text); // fails likewise, with words about the text as it was sent
  }
}

/** The same value with integers where marks stand. Depth is the text's, which may be more than calls can be nested. */
function withIntegers(root: unknown): unknown {
  const whole = [root];
  const open: object[] = [whole];
  const take = (value: unknown): bigint | undefined => {
    if (typeof value === "object" && value !== null) open.push(value);
    return typeof value === "string" && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : undefined;
  };
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (Array.isArray(one)) takeItems(one, take);
    else takeFields(one, take);
  }
  return whole[0];
}

function takeItems(list: unknown[], take: (value: unknown) => bigint | undefined): void {
  for (let at = 0; at < list.length; at += 1) {
    const integer = take(list[at]);
    if (integer !== undefined) list[at] = integer;
  }
}

/** Of what JSON.parse made: nothing is inherited that could be met here. */
function takeFields(fields: object, take: (value: unknown) => bigint | undefined): void {
  for (const name in fields) {
    const integer = take(Reflect.get(fields, name));
    if (integer !== undefined) Reflect.set(fields, name, integer);
  }
}

/** The inverse of parseJson. */
export function stringifyJson(value: unknown, indent?: number): string {
  // Texts that stand for values have no indents.
  if (indent) return writeJson(value, indent);
  const outer = written;
  const own: string[] = [];
  written = own;
  try {
    const text = writeJson(value);
    return own.length === 0 ? text : text.replace(standsIn, (_, at) => own[at] ?? "null");
  } finally {
    written = outer;
  }
}

/** Texts that the values being written know of themselves; undefined while none is written. */
let written: string[] | undefined;
const standsIn = new RegExp(`"${mark}(\\d+)"`, "g");

/**
 * For the `toJSON` of an object that holds a part of itself as JSON text: what it puts in the place of that part, so
 * that nobody parses it only to write it again. Undefined where it has to be the part itself.
 */
export function jsonAsText(text: string): unknown {
  return written && `${mark}${written.push(text) - 1}`;
}

/** The replacer costs time, so it runs only once a bigint is met. */
function writeJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, bigintAsNumber, indent);
  }
}

function bigintAsNumber(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? JSON.rawJSON(String(value)) : value;
}

/** JSON with sorted keys: equal values, equal texts. */
export function canonicalJson(value: unknown): string {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`);
  return `{${fields.join(",")}}`;
}

/** Whether two JSON values say the same; a field that is undefined is absent. */
export function equalJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) {
    return (
      typeof left !== typeof right && isNumeric(left) && isNumeric(right) && Number(left) === Number(right)
    );
  }
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => equalJson(item, right[index]));
  }
  return !Array.isArray(right) && isRecord(left) && isRecord(right) && equalFields(left, right);
}

type Fields = { readonly [field: string]: unknown };

/** Own fields alone: `__proto__` and `constructor` are names like others. */
function equalFields(left: Fields, right: Fields): boolean {
  for (const name of Object.keys(left))
    if (!equalJson(left[name], Object.hasOwn(right, name) ? right[name] : undefined)) return false;
  for (const name of Object.keys(right))
    if (right[name] !== undefined && !Object.hasOwn(left, name)) return false;
  return true;
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}
