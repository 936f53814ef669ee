import { isRecord, unescapePointerStep } from "@capstan/formats";

/** RFC 6901. */
export function parsePointer(pointer: string): string[] | undefined {
  if (pointer === "") return [];
  if (!pointer.startsWith("/")) return undefined;
  return pointer.slice(1).split("/").map(unescapePointerStep);
}

const parsed = new WeakMap<readonly string[], readonly (readonly string[])[]>();

/**
 * The paths of a rule's pointers, without those that are none or that name the whole. A rule has as many as its author
 * likes and is followed in both sides of every object: they are parsed once.
 */
export function pathsOf(pointers: readonly string[] = []): readonly (readonly string[])[] {
  const known = parsed.get(pointers);
  if (known) return known;
  const paths = pointers.flatMap((pointer) => {
    const path = parsePointer(pointer);
    return path === undefined || path.length === 0 ? [] : [path];
  });
  parsed.set(pointers, paths);
  return paths;
}

/** A copy without what the path leads to; the same value when it leads nowhere. */
export function withoutPath(value: unknown, path: readonly string[], from = 0): unknown {
  const name = path[from];
  if (name === undefined) return undefined;
  const isLast = from === path.length - 1;
  if (Array.isArray(value)) {
    const index = Number(name);
    if (!/^\d+$/.test(name) || index >= value.length) return value;
    if (isLast) return value.filter((_item, at) => at !== index);
    const left = withoutPath(value[index], path, from + 1);
    return left === value[index] ? value : value.with(index, left);
  }
  if (!isRecord(value) || !Object.hasOwn(value, name)) return value;
  if (isLast) {
    const { [name]: _, ...others } = value;
    return others;
  }
  const below = value[name];
  const left = withoutPath(below, path, from + 1);
  return left === below ? value : { ...value, [name]: left };
}
