import { goTypes } from "../schema/go-types.ts";
import { isRecord, type KubeObject } from "../types.ts";

/** A strategic merge is converted by Go's unstructured converter, which has words of its own. */
export function strategicFault(why: string, patch: unknown, previous: KubeObject): string {
  return `Invalid value: ${JSON.stringify(goText(mergedPatch(patch, previous)))}: ${restoreFault(why)}`;
}

function restoreFault(why: string): string {
  const [, from = "", to = ""] = /cannot unmarshal (.+) into .* of type (\S+)$/.exec(why) ?? [];
  if (to === "") return why;
  const kind = restoredKind(from);
  if (to.startsWith("[]")) return `cannot restore slice from ${kind}`;
  if (/^map\[|List$/.test(to)) return `cannot restore map from ${kind}`;
  const isText = to === "string" || Object.values(goTypes().named).includes(to);
  if (to.includes(".") && !isText) return `cannot restore struct from: ${kind}`;
  if (isText && kind === "int64") return "cannot convert int64 to string";
  return `unrecognized type: ${isText ? "string" : to}`;
}

/** Of numbers the converter keeps the integers apart. */
function restoredKind(from: string): string {
  if (from === "array") return "slice";
  if (from === "object") return "map";
  return from.startsWith("number") ? "int64" : from;
}

/** As the merge leaves a patch: without directives, and without nulls where there was nothing to take away. */
function mergedPatch(patch: unknown, previous: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const entries = Object.entries(patch).filter(([key]) => key !== "$patch");
  return Object.fromEntries(
    entries.map(([key, value]) => {
      const before = isRecord(previous) ? previous[key] : undefined;
      return [key, isRecord(value) && !isRecord(before) ? withoutNulls(value) : mergedPatch(value, before)];
    }),
  );
}

function withoutNulls(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutNulls(item)]));
}

/** fmt's %v of a decoded JSON value. */
function goText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goText).join(" ")}]`;
  if (!isRecord(value)) return value === null ? "<nil>" : String(value);
  const keys = Object.keys(value).sort();
  return `map[${keys.map((key) => `${key}:${goText(value[key])}`).join(" ")}]`;
}
