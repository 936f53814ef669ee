import { type Clock, clockAt, compareBytes, type Zone } from "@capstan/formats";
import { capacityAfter } from "./room.ts";
import { textOf } from "./text-bytes.ts";

/**
 * A value of Go as a template sees it. JSON's own types stand for Go's: a number is a float64. `undefined` is what Go
 * calls an invalid value ("<no value>": a key that a map lacks), `null` a nil interface.
 */
export type Value =
  | undefined
  | null
  | boolean
  | number
  | string
  | GoInt
  | GoList
  | GoMap
  | GoTime
  | GoVersion
  | GoStruct
  | GoCallable;

export type IntType = "int" | "int64" | "uint8" | "time.Month" | "time.Weekday" | "time.Duration";

/** A whole number of a type of Go; it wraps as that type does. */
export class GoInt {
  readonly type: IntType;
  readonly value: bigint;

  constructor(value: bigint | number, type: IntType = "int") {
    this.type = type;
    this.value = type === "uint8" ? BigInt.asUintN(8, BigInt(value)) : BigInt.asIntN(64, BigInt(value));
  }
}

/** Counts what is made or gone through, in characters and items; throws once a run has made more than it may. */
export type Spend = (size: number) => void;

/** What lies beyond a slice's end, as far as it may be taken in by slicing it anew. */
export interface Room {
  /** Go's cap. */
  readonly capacity: number;
  /** Of what the slice was cut off there; else what lies beyond was never set. */
  readonly behind?: { readonly list: GoList; readonly at: number } | undefined;
}

/** A slice; `element` as Go prints its type. */
export class GoList {
  #items: readonly Value[];
  readonly element: string;
  readonly capacity: number;
  readonly #behind: Room["behind"];

  /** `room`: default none beyond the items. */
  constructor(items: readonly Value[], element = "interface {}", room?: Room) {
    this.#items = items;
    this.element = element;
    this.capacity = Math.max(room?.capacity ?? 0, items.length);
    this.#behind = room?.behind;
  }

  get items(): readonly Value[] {
    return this.#items;
  }

  /** list[from:to:end], up to the capacity. */
  slice(from: number, to: number, end = this.capacity): GoList {
    const within = this.#items.slice(from, to);
    const beyond = Array.from({ length: Math.max(to - from - within.length, 0) }, (_, index) =>
      this.#at(from + within.length + index),
    );
    return new GoList([...within, ...beyond], this.element, {
      capacity: end - from,
      behind: { list: this, at: to },
    });
  }

  /** In place, as a function of Go's does that all holders of the slice see. */
  sort(compare: (left: Value, right: Value) => number): void {
    this.#items = this.#items.toSorted(compare);
  }

  #at(index: number): Value {
    if (index < this.#items.length) return this.#items[index];
    if (this.#behind) return this.#behind.list.#at(this.#behind.at + index - this.#items.length);
    return zeros[this.element]?.() ?? null;
  }
}

/** A slice that was empty and had its items appended one at a time; `capacity`: that it had before. */
export const appendedList = (items: readonly Value[], element = "interface {}", capacity = 0): GoList =>
  new GoList(items, element, { capacity: capacityAfter(items.length, element, capacity) });

const zeros: Readonly<Record<string, () => Value>> = {
  string: () => "",
  int: () => new GoInt(0),
  "[]interface {}": () => new NilList(),
};

/** A slice that was never made: it reads as empty, and is null in JSON. */
export class NilList extends GoList {
  constructor(element?: string) {
    super([], element);
  }
}

/** A map from texts. It can be changed in place (sprig's `set`), as Go's. */
export class GoMap {
  readonly entries: Map<string, Value>;
  readonly element: string;

  constructor(entries: Iterable<readonly [string, Value]>, element = "interface {}") {
    this.entries = new Map(entries);
    this.element = element;
  }

  sortedKeys(spend: Spend): string[] {
    const keys = [...this.entries.keys()];
    spend(keys.reduce((sum, key) => sum + 1 + key.length, 0));
    return keys.sort(compareBytes);
  }
}

/** A map that was never made: it reads as empty, and nothing can be put into it. */
export class NilMap extends GoMap {
  constructor() {
    super([]);
  }
}

/** Go's name of where a moment is: the zone of the machine (which is UTC, too), or one without a name. */
export type TimeLocation = "UTC" | "Local" | "";

/** A moment in a zone. */
export class GoTime {
  /** Since 1970. */
  readonly nanoseconds: bigint;
  readonly zone: Zone;
  readonly location: TimeLocation;

  constructor(nanoseconds: bigint, zone: Zone, location: TimeLocation = "UTC") {
    this.nanoseconds = nanoseconds;
    this.zone = zone;
    this.location = location;
  }

  clock(): Clock {
    return clockAt(this.nanoseconds, this.zone);
  }
}

/** What sprig's `semver` gives: *semver.Version of Masterminds. */
export class GoVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  readonly prerelease: string;
  readonly metadata: string;
  readonly original: string;

  constructor(parts: Pick<GoVersion, "major" | "minor" | "patch" | "prerelease" | "metadata" | "original">) {
    this.major = parts.major;
    this.minor = parts.minor;
    this.patch = parts.patch;
    this.prerelease = parts.prerelease;
    this.metadata = parts.metadata;
    this.original = parts.original;
  }

  toString(): string {
    const pre = this.prerelease === "" ? "" : `-${this.prerelease}`;
    return `${this.major}.${this.minor}.${this.patch}${pre}${this.metadata === "" ? "" : `+${this.metadata}`}`;
  }
}

/** A struct of whoever gives the data: its fields, and methods that take arguments. */
export class GoStruct {
  readonly type: string;
  readonly fields: ReadonlyMap<string, Value>;
  readonly methods: ReadonlyMap<string, GoCallable>;

  constructor(
    type: string,
    fields: Readonly<Record<string, Value>>,
    methods: Readonly<Record<string, GoCallable>> = {},
  ) {
    this.type = type;
    this.fields = new Map(Object.entries(fields));
    this.methods = new Map(Object.entries(methods));
  }
}

/** A function among the data, for `call`. What it throws is what Go's function panics with. */
export class GoCallable {
  /** Go's names of its parameters' types: texts are all that is needed. */
  readonly parameters: number;
  readonly run: (texts: readonly string[]) => Value;

  constructor(parameters: number, run: (texts: readonly string[]) => Value) {
    this.parameters = parameters;
    this.run = run;
  }
}

/** Data may hold values of this package among its JSON: they stay as they are. */
function isValue(data: unknown): data is GoInt | GoList | GoMap | GoTime | GoVersion | GoStruct | GoCallable {
  return [GoInt, GoList, GoMap, GoTime, GoVersion, GoStruct, GoCallable].some((Kind) => data instanceof Kind);
}

/** JSON as Go's encoding/json reads it into an interface: every number is a float64. */
export function toValue(data: unknown): Value {
  if (data === null || data === undefined) return null;
  if (typeof data === "boolean" || typeof data === "number") return data;
  if (typeof data === "string") return data.toWellFormed();
  if (typeof data === "bigint") return Number(data);
  if (Array.isArray(data)) return appendedList(data.map(toValue));
  if (isValue(data)) return data;
  return new GoMap(Object.entries(data).map(([key, one]) => [key, toValue(one)]));
}

/** Go's name of a value's type (%T). */
export function typeName(value: Value): string {
  if (value === undefined || value === null) return "<nil>";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return "float64";
  if (typeof value === "string") return "string";
  if (value instanceof GoInt) return value.type;
  if (value instanceof GoList) return `[]${value.element}`;
  if (value instanceof GoMap) return `map[string]${value.element}`;
  if (value instanceof GoStruct) return value.type;
  if (value instanceof GoCallable) return `func(${Array(value.parameters).fill("string").join(", ")})`;
  return value instanceof GoTime ? "time.Time" : "*semver.Version";
}

/** Go's reflect.Kind. */
export function kindName(value: Value): string {
  if (value === undefined || value === null) return "invalid";
  if (value instanceof GoInt) return kindOfInt(value.type);
  if (value instanceof GoList) return "slice";
  if (value instanceof GoMap) return "map";
  if (value instanceof GoTime || value instanceof GoStruct) return "struct";
  if (value instanceof GoCallable) return "func";
  return value instanceof GoVersion ? "ptr" : typeName(value);
}

function kindOfInt(type: IntType): string {
  if (type === "time.Duration") return "int64";
  return type.startsWith("time.") ? "int" : type;
}

/** The text of a []byte; undefined: it is none. */
export function textOfBytes(value: Value): string | undefined {
  if (!(value instanceof GoList) || value.element !== "uint8") return undefined;
  return textOf(Uint8Array.from(value.items, (one) => (one instanceof GoInt ? Number(one.value) : 0)));
}

/** Go's text/template.IsTrue. */
export function isTrue(value: Value): boolean {
  if (value === undefined || value === null) return false;
  if (value instanceof GoInt) return value.value !== 0n;
  if (value instanceof GoList) return value.items.length > 0;
  if (value instanceof GoMap) return value.entries.size > 0;
  return typeof value === "object" || Boolean(value) || Number.isNaN(value);
}
