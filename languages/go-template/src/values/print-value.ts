import { formatGoTime, printFloat, printNanoseconds } from "@capstan/formats";
import { GoCallable, GoInt, GoList, GoStruct, GoTime, GoVersion, type Spend, type Value } from "./value.ts";

const months = "January February March April May June July August September October November December".split(
  " ",
);
const days = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");

/**
 * Go's %v. A value of lists and maps within one another is printed as far down as it goes, and each of them as often as
 * it stands there: `spend` counts what is printed and throws when it is too much.
 */
export function printValue(value: Value, spend: Spend): string {
  spend(typeof value === "string" ? value.length + 1 : 1);
  if (value === undefined || value === null) return "<nil>";
  if (typeof value === "string") return value;
  if (typeof value === "number") return printFloat(value, "g");
  if (typeof value === "boolean") return String(value);
  if (value instanceof GoInt) return printInt(value);
  if (value instanceof GoList) return `[${value.items.map((one) => printValue(one, spend)).join(" ")}]`;
  if (value instanceof GoVersion) return value.toString();
  if (value instanceof GoTime) return formatGoTime(value.clock(), "2006-01-02 15:04:05.999999999 -0700 MST");
  if (value instanceof GoStruct)
    return `{${[...value.fields.values()].map((one) => printValue(one, spend)).join(" ")}}`;
  // Go prints an address.
  if (value instanceof GoCallable) return "0xfunc";
  const parts = value.sortedKeys(spend).map((key) => `${key}:${printValue(value.entries.get(key), spend)}`);
  return `map[${parts.join(" ")}]`;
}

function printInt({ type, value }: GoInt): string {
  if (type === "time.Month") return months[Number(value) - 1] ?? `%!Month(${value})`;
  if (type === "time.Duration") return printNanoseconds(value);
  if (type === "time.Weekday") return days[Number(value)] ?? `%!Weekday(${value})`;
  return String(value);
}

/** fmt.Sprint: a space between two of which neither is a text. */
export function printAll(values: readonly Value[], spend: Spend): string {
  let text = "";
  for (const [index, value] of values.entries()) {
    const isApart = index > 0 && typeof value !== "string" && typeof values[index - 1] !== "string";
    text += (isApart ? " " : "") + printValue(value, spend);
  }
  return text;
}
