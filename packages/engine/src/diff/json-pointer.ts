import { isRecord } from "@capstan/formats";

/** RFC 6901. */
export function parsePointer(pointer: string): string[] | undefined {
  if (pointer === "") return [];
  if (!pointer.startsWith("/")) return undefined;
  return pointer
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
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
export function withoutPath(value: unknown, path: readonly string[]): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return undefined;
  if (Array.isArray(value)) {
    const index = Number(name);
    if (!/^\d+$/.test(name) || index >= value.length) return value;
    return rest.length === 0
      ? value.filter((_item, at) => at !== index)
      : value.map((item: unknown, at) => (at === index ? withoutPath(item, rest) : item));
  }
  if (!isRecord(value) || !Object.hasOwn(value, name)) return value;
  const { [name]: below, ...others } = value;
  if (rest.length === 0) return others;
  return { ...value, [name]: withoutPath(below, rest) };
}
