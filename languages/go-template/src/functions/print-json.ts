import { formatGoTime } from "@capstan/formats";
import {
  GoCallable,
  GoInt,
  GoList,
  GoMap,
  GoStruct,
  GoTime,
  GoVersion,
  NilList,
  NilMap,
  type Spend,
  typeName,
  type Value,
} from "../values/value.ts";

interface Printing {
  readonly spend: Spend;
  /** Of each level; none prints all in one line. */
  readonly indent?: string;
  /** Leaves <, > and & as they are. */
  readonly isRaw?: boolean;
  /** The lists and maps around it. */
  readonly around?: Set<Value>;
}

/** What has no JSON. */
export class JsonError extends Error {
  override readonly name = "JsonError";
}

/** A value as Go's encoding/json writes it: keys sorted, and what HTML would read escaped. */
export function printJson(value: Value, printing: Printing, lead = "\n"): string {
  const { spend, indent } = printing;
  spend(1);
  if (value === undefined || value === null || value instanceof NilList || value instanceof NilMap)
    return "null";
  if (typeof value === "string") return printText(value, printing);
  if (typeof value === "number") return printNumber(value);
  if (typeof value === "boolean") return String(value);
  if (value instanceof GoInt) return String(value.value);
  if (value instanceof GoTime)
    return `"${formatGoTime(value.clock(), "2006-01-02T15:04:05.999999999Z07:00")}"`;
  if (value instanceof GoVersion) return printText(value.toString(), printing);
  if (value instanceof GoCallable) throw new JsonError("json: unsupported type: func");
  if (value instanceof GoStruct) return printJson(new GoMap(value.fields), printing, lead);
  const inner = indent === undefined ? "" : lead + indent;
  const around = printing.around ?? new Set();
  if (around.has(value))
    throw new JsonError(`json: unsupported value: encountered a cycle via ${typeName(value)}`);
  around.add(value);
  const print = (one: Value): string => {
    spend(inner.length);
    return printJson(one, { ...printing, around }, inner);
  };
  const colon = indent === undefined ? ":" : ": ";
  const parts =
    value instanceof GoList
      ? value.items.map(print)
      : value
          .sortedKeys(spend)
          .map((key) => printText(key, printing) + colon + print(value.entries.get(key)));
  around.delete(value);
  const [open, close] = value instanceof GoMap ? ["{", "}"] : ["[", "]"];
  if (parts.length === 0) return open + close;
  return `${open}${inner}${parts.join(`,${inner}`)}${indent === undefined ? "" : lead}${close}`;
}

/** A value as JSON, for functions of others. */
export function toJson(value: Value, caller: Pick<Printing, "spend">): string {
  return printJson(value, { spend: caller.spend, isRaw: true });
}

const escapes: Readonly<Record<string, string>> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

function printText(text: string, { spend, isRaw = false }: Printing): string {
  spend(text.length);
  const quoted = JSON.stringify(text)
    .replace(/[\u2028\u2029]/g, (char) => escapes[char] ?? char)
    // A byte that is no UTF-8.
    .replace(/\\\\|\\udc[89a-f][\da-f]/g, (whole) => (whole === "\\\\" ? whole : "\\ufffd"));
  return isRaw ? quoted : quoted.replace(/[<>&]/g, (char) => escapes[char] ?? char);
}

/** Exponents where Go writes them: below 1e-6 and from 1e21. */
function printNumber(value: number): string {
  if (!Number.isFinite(value))
    throw new JsonError(`json: unsupported value: ${value > 0 ? "+Inf" : value < 0 ? "-Inf" : "NaN"}`);
  return Object.is(value, -0) ? "-0" : String(value).replace(/e-(\d)$/, "e-0$1");
}
