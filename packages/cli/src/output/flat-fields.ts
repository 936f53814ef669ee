import { isRecord } from "@capstan/formats";

/** Each leaf of an object with its path: `spec.containers[0].name`, in the object's own order. */
export function flatFields(object: Readonly<Record<string, unknown>>, parent = ""): [string, string][] {
  return Object.entries(object).flatMap(([key, value]) => {
    const field = `${parent}${key}`;
    if (isRecord(value)) return flatFields(value, `${field}.`);
    if (Array.isArray(value))
      return value.flatMap((one: unknown, index): [string, string][] =>
        isRecord(one) ? flatFields(one, `${field}[${index}].`) : [[`${field}[${index}]`, String(one)]],
      );
    return [[field, value === null ? "<nil>" : String(value)]];
  });
}

/** The object with these fields alone; a path goes through lists, of which each entry keeps its place. */
export function pickFields(object: unknown, paths: readonly (readonly string[])[]): unknown {
  if (paths.some((path) => path.length === 0)) return object;
  if (Array.isArray(object)) return object.map((one: unknown) => pickFields(one, paths));
  if (!isRecord(object)) return undefined;
  const picked = Object.entries(object).flatMap(([key, value]): [string, unknown][] => {
    const rest = paths.filter(([first]) => first === key).map((path) => path.slice(1));
    const found = rest.length > 0 ? pickFields(value, rest) : undefined;
    return found === undefined ? [] : [[key, found]];
  });
  return picked.length > 0 ? Object.fromEntries(picked) : undefined;
}
