import { isObject, type JsonObject } from "../json.ts";

/**
 * A set of field paths, as a tree. Path elements are spelled as in FieldsV1: "f:name" for a field,
 * 'k:{"name":"a"}' for an item of a keyed list, 'v:"x"' for an item of a set, "i:0" for an index.
 * What was FieldsV1 is read as far as somebody asks, and written as it was where nothing of it changed: most writes
 * touch few of an object's owners. Sets share their parts; one that was given away is not changed any more.
 */
export class FieldSet {
  /** Whether the path that leads here is itself in the set. */
  member = false;
  /** Most nodes have none: a map for each would be most of a set's memory. */
  #children: Map<string, FieldSet> | undefined;
  /** This node and what is below it, where that is not of our own making. */
  #encoded: JsonObject | undefined;

  static ofEncoded(encoded: JsonObject): FieldSet {
    const set = new FieldSet();
    set.#encoded = encoded;
    set.member = Object.hasOwn(encoded, ".");
    return set;
  }

  /** FieldsV1 of it, if that is known. */
  get encoded(): JsonObject | undefined {
    return this.#encoded;
  }

  get children(): ReadonlyMap<string, FieldSet> {
    if (this.#encoded && !this.#children && this.hasBelow) {
      const elements = Object.keys(this.#encoded).filter((element) => element !== ".");
      this.#children = new Map(elements.map((element) => [element, decodeBelow(this.#encoded?.[element])]));
    }
    return this.#children ?? childless;
  }

  /** Any paths below it. */
  get hasBelow(): boolean {
    if (this.#children || !this.#encoded) return this.children.size > 0;
    for (const element in this.#encoded) if (element !== ".") return true;
    return false;
  }

  child(element: string): FieldSet | undefined {
    if (this.#children || !this.#encoded) return this.#children?.get(element);
    const isThere = element !== "." && Object.hasOwn(this.#encoded, element);
    return isThere ? decodeBelow(this.#encoded[element]) : undefined;
  }

  /** One that may be changed. */
  copy(): FieldSet {
    const copy = new FieldSet();
    copy.member = this.member;
    if (this.hasBelow) copy.#children = new Map(this.children);
    return copy;
  }

  /** The node below `element`, made if need be. */
  below(element: string): FieldSet {
    const known = this.child(element);
    if (known) return known;
    const child = new FieldSet();
    this.put(element, child);
    return child;
  }

  put(element: string, child: FieldSet): void {
    this.#children ??= new Map();
    this.#children.set(element, child);
  }

  drop(element: string): void {
    this.#children?.delete(element);
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
    for (const element of path) here = here?.child(element);
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
      if (!child.member && !child.hasBelow) this.drop(element);
    }
    return this;
  }

  /** Paths in order: members of a level before what is below them, as structured-merge-diff iterates. */
  *paths(prefix: readonly string[] = []): Generator<readonly string[]> {
    const elements = [...this.children.keys()].sort();
    for (const element of elements) if (this.child(element)?.member) yield [...prefix, element];
    for (const element of elements) yield* this.child(element)?.paths([...prefix, element]) ?? [];
  }
}

const childless: ReadonlyMap<string, FieldSet> = new Map();

export function unionOf(...sets: readonly FieldSet[]): FieldSet {
  return sets.reduce(union, new FieldSet());
}

/** The first itself where it has all of the second. */
function union(a: FieldSet, b: FieldSet): FieldSet {
  if (!a.member && !a.hasBelow) return b;
  let changed = b.member && !a.member ? a.copy() : undefined;
  if (changed) changed.member = true;
  for (const [element, other] of b.children) {
    const child = a.child(element);
    const both = child ? union(child, other) : other;
    if (both === child) continue;
    changed ??= a.copy();
    changed.put(element, both);
  }
  return changed ?? a;
}

export function intersectionOf(a: FieldSet, b: FieldSet): FieldSet {
  const result = new FieldSet();
  result.member = a.member && b.member;
  for (const [element, other] of b.children) {
    const child = a.child(element);
    if (child) putIfAny(result, element, intersectionOf(child, other));
  }
  return result;
}

/** The paths of `a` that are not in `b`, `a` itself where these are all; a path of `b` takes nothing away below itself. */
export function differenceOf(a: FieldSet, b: FieldSet): FieldSet {
  let changed = a.member && b.member ? a.copy() : undefined;
  if (changed) changed.member = false;
  for (const [element, other] of b.children) {
    const child = a.child(element);
    const rest = child && differenceOf(child, other);
    if (!rest || rest === child) continue;
    changed ??= a.copy();
    changed.drop(element);
    putIfAny(changed, element, rest);
  }
  return changed ?? a;
}

/** The paths of `a` that are neither in `b` nor below a path of `b`. */
export function outsideOf(a: FieldSet, b: FieldSet): FieldSet {
  const result = new FieldSet();
  result.member = a.member;
  for (const [element, child] of a.children) {
    const other = b.child(element);
    if (!other?.member) putIfAny(result, element, other ? outsideOf(child, other) : child);
  }
  return result;
}

/** Whether all paths of `a` are in `b`. */
export function isWithin(a: FieldSet, b: FieldSet): boolean {
  if (a.member && !b.member) return false;
  for (const [element, child] of a.children) {
    const other = b.child(element);
    if (!(other ? isWithin(child, other) : child.isEmpty)) return false;
  }
  return true;
}

/** Of two that say the same the one that is known: its FieldsV1 need not be written again. */
export function knownOr(set: FieldSet, known: FieldSet | undefined): FieldSet {
  return known && isWithin(set, known) && isWithin(known, set) ? known : set;
}

function putIfAny(into: FieldSet, element: string, set: FieldSet): void {
  if (set.member || set.hasBelow) into.put(element, set);
}

/** FieldsV1: an element that only stands for itself is {}, one with more below it says "." for itself. */
export function encodeFields(set: FieldSet): JsonObject {
  if (set.encoded) return set.encoded;
  const encoded: JsonObject = {};
  if (!set.hasBelow) return encoded;
  if (set.member) encoded["."] = {};
  for (const element of [...set.children.keys()].sort()) {
    const child = set.child(element);
    if (child) encoded[element] = encodeFields(child);
  }
  return encoded;
}

/** As `encodeFields` has written it. */
export function decodeFields(encoded: unknown): FieldSet {
  return isObject(encoded) ? FieldSet.ofEncoded(encoded) : new FieldSet();
}

function decodeBelow(encoded: unknown): FieldSet {
  const set = decodeFields(encoded);
  if (!set.hasBelow) set.member = true;
  return set;
}

/** As others have written it: in any order. */
export function decodeAnyFields(encoded: unknown): FieldSet {
  return rebuilt(decodeFields(encoded));
}

function rebuilt(set: FieldSet): FieldSet {
  const own = new FieldSet();
  own.member = set.member;
  for (const [element, child] of set.children) own.put(element, rebuilt(child));
  return own;
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
