import { ExprError } from "../expr-error.ts";
import { toInteger, toText } from "../values/operators.ts";
import { isList, nilList, type Value } from "../values/value.ts";
import { type Caller, type Definitions, define } from "./definition.ts";

const text = (values: readonly Value[], at: number): string => toText(values[at] ?? null);
/** unicode.IsSpace. */
const spaceAround = /^[\s\u0085]+|[\s\u0085]+$/g;

const made = (value: string, { budget }: Caller): string => {
  budget.make(value.length);
  return value;
};

/** Go's strings functions as expr has them. */
export const textFunctions: Definitions = {
  trim: define([1, 2], (values) => {
    const [given] = values;
    if (values.length === 1) return toText(given ?? null).replace(spaceAround, "");
    const chars = new Set(text(values, 1));
    const all = [...text(values, 0)];
    const first = all.findIndex((char) => !chars.has(char));
    if (first < 0) return "";
    return all.slice(first, all.findLastIndex((char) => !chars.has(char)) + 1).join("");
  }),
  trimPrefix: define([1, 2], (values) => {
    const [given, prefix] = [text(values, 0), values.length === 2 ? text(values, 1) : " "];
    return given.startsWith(prefix) ? given.slice(prefix.length) : given;
  }),
  trimSuffix: define([1, 2], (values) => {
    const [given, suffix] = [text(values, 0), values.length === 2 ? text(values, 1) : " "];
    return suffix !== "" && given.endsWith(suffix) ? given.slice(0, -suffix.length) : given;
  }),
  upper: define(1, (values) => text(values, 0).toUpperCase()),
  lower: define(1, (values) => text(values, 0).toLowerCase()),
  split: define([2, 3], (values, caller) => split(values, caller, false)),
  splitAfter: define([2, 3], (values, caller) => split(values, caller, true)),
  replace: define([3, 4], (values, caller) => {
    const [given, before, after] = [text(values, 0), text(values, 1), text(values, 2)];
    const count = values.length === 4 ? toInteger(values[3] ?? null) : -1;
    const parts = before === "" ? ["", ...given, ""] : given.split(before);
    const most = count < 0 ? parts.length - 1 : Math.min(count, parts.length - 1);
    caller.budget.make(given.length + most * after.length);
    return [parts.slice(0, most + 1).join(after), ...parts.slice(most + 1)].join(before);
  }),
  repeat: define(2, (values, caller) => {
    const [given, count] = [text(values, 0), toInteger(values[1] ?? null)];
    if (count < 0) throw new ExprError(`repeat: ${count} is below 0`);
    caller.budget.make(given.length * count);
    return given.repeat(count);
  }),
  join: define([1, 2], (values, caller) => {
    const [list = null] = values;
    if (!isList(list)) throw new ExprError("join: its first argument is no array");
    return made(list.map(toText).join(values.length === 2 ? text(values, 1) : ""), caller);
  }),
  indexOf: define(2, (values) => byteIndex(text(values, 0), text(values, 0).indexOf(text(values, 1)))),
  lastIndexOf: define(2, (values) =>
    byteIndex(text(values, 0), text(values, 0).lastIndexOf(text(values, 1))),
  ),
  hasPrefix: define(2, (values) => text(values, 0).startsWith(text(values, 1))),
  hasSuffix: define(2, (values) => text(values, 0).endsWith(text(values, 1))),
  toBase64: define(1, (values, caller) => made(Buffer.from(text(values, 0)).toString("base64"), caller)),
  fromBase64: define(1, (values) => {
    const given = text(values, 0).replace(/[\r\n]/g, "");
    if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(given))
      throw new ExprError("fromBase64: it is no base64");
    return Buffer.from(given, "base64").toString();
  }),
};

/** Go counts bytes. */
function byteIndex(given: string, at: number): Value {
  return at < 0 ? -1n : BigInt(Buffer.byteLength(given.slice(0, at)));
}

/** strings.SplitN and SplitAfterN: below 0 all of them. */
function split(values: readonly Value[], { budget }: Caller, keeps: boolean): Value {
  const [given, by] = [text(values, 0), text(values, 1)];
  const count = values.length === 3 ? toInteger(values[2] ?? null) : -1;
  if (count === 0) return nilList;
  const all = by === "" ? [...given] : given.split(by);
  budget.make(all.length);
  const most = count < 0 ? all.length : Math.min(count, all.length);
  const parts = all.slice(0, most);
  if (most < all.length) parts.splice(most - 1, 1, all.slice(most - 1).join(by));
  return keeps ? parts.map((part, at) => (at < most - 1 ? part + by : part)) : parts;
}
