import { isObject, type JsonObject } from "../json.ts";

/**
 * A set of field paths, as a tree. Path elements are spelled as in FieldsV1: "f:name" for a field,
 * 'k:{"name":"a"}' for an item of a keyed list, 'v:"x"' for an item of a set, "i:0" for an index.
 */
export class FieldSet {
  /** Whether the path that leads here is itself in the set. */
  member = false;
  /** Most nodes have none: a map for each would be most of a set's memory. */
  #children: Map<string, FieldSet> | undefined;

  get children(): ReadonlyMap<string, FieldSet> {
    return this.#children ?? childless;
  }

  /** The node below `element`, made if need be. */
  below(element: string): FieldSet {
    let child = this.#children?.get(element);
    if (!child) {
      child = new FieldSet();
      this.put(element, child);
    }
    return child;
  }

  put(element: string, child: FieldSet): void {
    this.#children ??= new Map();
    this.#children.set(element, child);
  }

  /** Forgets what is below this node. */
  cut(): void {
    this.#children = undefined;
  }

  get isEmpty(): boolean {
    if (this.member) return false;
    for (const child of this.children.values()) if (!child.isEmpty) return false;
    return true;
  }

  has(path: readonly string[]): boolean {
    let here: FieldSet | undefined = this;
    for (const element of path) here = here?.children.get(element);
    return here?.member === true;
  }

  insert(path: readonly string[]): this {
    let here: FieldSet = this;
    for (const element of path) here = here.below(element);
    here.member = true;
    return this;
  }

  /** Forgets nodes that hold nothing, so that equal sets have equal trees. */
  trimmed(): this {
    for (const [element, child] of this.children) {
      child.trimmed();
      if (!child.member && child.children.size === 0) this.#children?.delete(element);
    }
    return this;
  }

  /** Paths in order: members of a level before what is below them, as structured-merge-diff iterates. */
  *paths(prefix: readonly string[] = []): Generator<readonly string[]> {
    const elements = [...this.children.keys()].sort();
    for (const element of elements) if (this.children.get(element)?.member) yield [...prefix, element];
    for (const element of elements) yield* this.children.get(element)?.paths([...prefix, element]) ?? [];
  }
}

const childless: ReadonlyMap<string, FieldSet> = new Map();

export function unionOf(...sets: readonly FieldSet[]): FieldSet {
  const result = new FieldSet();
  for (const set of sets) addInto(result, set);
  return result;
}

function addInto(target: FieldSet, source: FieldSet): void {
  if (source.member) target.member = true;
  for (const [element, child] of source.children) addInto(target.below(element), child);
}

export function intersectionOf(a: FieldSet, b: FieldSet): FieldSet {
  const result = new FieldSet();
  result.member = a.member && b.member;
  for (const [element, child] of a.children) {
    const other = b.children.get(element);
    if (!other) continue;
    const both = intersectionOf(child, other);
    if (both.member || both.children.size) result.put(element, both);
  }
  return result;
}

/** The paths of `a` that are not in `b`; a path of `b` takes nothing away below itself. */
export function differenceOf(a: FieldSet, b: FieldSet): FieldSet {
  const result = new FieldSet();
  result.member = a.member && !b.member;
  for (const [element, child] of a.children) {
    const other = b.children.get(element);
    const rest = other ? differenceOf(child, other) : child;
    if (rest.member || rest.children.size) result.put(element, rest);
  }
  return result;
}

/** The paths of `a` that are neither in `b` nor below a path of `b`. */
export function outsideOf(a: FieldSet, b: FieldSet): FieldSet {
  const result = new FieldSet();
  result.member = a.member;
  for (const [element, child] of a.children) {
    const other = b.children.get(element);
    if (other?.member) continue;
    const rest = other ? outsideOf(child, other) : child;
    if (rest.member || rest.children.size) result.put(element, rest);
  }
  return result;
}

/** FieldsV1: an element that only stands for itself is {}, one with more below it says "." for itself. */
export function encodeFields(set: FieldSet): JsonObject {
  const encoded: JsonObject = {};
  if (set.children.size === 0) return encoded;
  if (set.member) encoded["."] = {};
  for (const element of [...set.children.keys()].sort()) {
    const child = set.children.get(element);
    if (child) encoded[element] = encodeFields(child);
  }
  return encoded;
}

export function decodeFields(encoded: unknown): FieldSet {
  const root = new FieldSet();
  if (!isObject(encoded)) return root;
  for (const [element, below] of Object.entries(encoded)) {
    if (element === ".") root.member = true;
    else root.put(element, decodeBelow(below));
  }
  return root;
}

function decodeBelow(encoded: unknown): FieldSet {
  const set = decodeFields(encoded);
  if (set.children.size === 0) set.member = true;
  return set;
}

/** ".spec.containers[name=\"a\"].image", as conflicts print a path. */
export function printPath(path: readonly string[]): string {
  return path.map(printElement).join("");
}

function printElement(element: string): string {
  const rest = element.slice(2);
  if (element.startsWith("f:")) return `.${rest}`;
  if (element.startsWith("v:")) return `[=${rest}]`;
  if (!element.startsWith("k:")) return `[${rest}]`;
  const keys: unknown = JSON.parse(rest);
  const pairs = Object.entries(isObject(keys) ? keys : {});
  return `[${pairs.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(",")}]`;
}
