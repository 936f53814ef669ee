import { isObject } from "./script.ts";

/** Where two values differ, as lines "path: real, ours"; "…" where one has nothing. */
export function differences(real: unknown, ours: unknown, path = ""): string[] {
  if (Object.is(real, ours)) return [];
  if (isObject(real) && isObject(ours)) {
    const keys = [...new Set([...Object.keys(real), ...Object.keys(ours)])];
    return keys.flatMap((key) => differences(real[key], ours[key], path === "" ? key : `${path}.${key}`));
  }
  if (Array.isArray(real) && Array.isArray(ours)) {
    const length = Math.max(real.length, ours.length);
    return Array.from({ length }, (_, index) =>
      differences(real[index], ours[index], `${path}[${index}]`),
    ).flat();
  }
  return [`${path}: real ${show(real)}, ours ${show(ours)}`];
}

function show(value: unknown): string {
  if (value === undefined) return "…";
  const text = JSON.stringify(value);
  return text.length > 600 ? `${text.slice(0, 600)}…` : text;
}
