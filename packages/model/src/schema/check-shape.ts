import { isRecord, nearestName } from "@capstan/formats";
import type { FieldProblem } from "../failures/failure.ts";
import { isAllowed, isFlawless, isOfFormat, isOfPattern, isShort, mismatch } from "./is-flawless.ts";
import type { ObjectShape, Shape, StringRules } from "./schema.ts";

/**
 * Everything in which a value differs from its shape; each problem names its field. Null is absent, as in Go.
 * `partial`: nothing need be there, as where Go reads JSON (encoding/json: what is missing is the zero value).
 */
export function checkShape(shape: Shape, value: unknown, { partial = false } = {}): FieldProblem[] {
  if (isFlawless(shape, value, partial)) return [];
  const whole = new Place({ problems: [], partial });
  check(shape, value, whole);
  return whole.problems;
}

/** The same value without the fields of its shape that are null; itself when there are none, as mostly. */
export function withoutNulls(shape: Shape, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return shape.type === "array" ? itemsWithoutNulls(shape.items, value) : value;
  if ((shape.type !== "object" && shape.type !== "map") || !isRecord(value)) return value;
  // Within any JSON null is a value like others.
  if (shape.type === "map" && shape.values.type === "raw") return value;
  let copy: { [name: string]: unknown } | undefined;
  for (const name of Object.keys(value)) {
    const item = value[name];
    if (typeof item !== "object") continue;
    const below = shape.type === "map" ? shape.values : shape.properties[name];
    if (below === undefined) continue;
    const kept = withoutNulls(below, item);
    if (item !== null && kept === item) continue;
    copy ??= { ...value };
    if (item === null) delete copy[name];
    else copy[name] = kept;
  }
  return copy ?? value;
}

function itemsWithoutNulls(shape: Shape, items: readonly unknown[]): readonly unknown[] {
  if (shape.type === "string") return items;
  let copy: unknown[] | undefined;
  for (let index = 0; index < items.length; index += 1) {
    const kept = withoutNulls(shape, items[index]);
    if (kept === items[index]) continue;
    copy ??= [...items];
    copy[index] = kept;
  }
  return copy ?? items;
}

/** Where a value stands. Its name is made only for a problem: most values have none, and every watch event is checked. */
class Place {
  readonly problems: FieldProblem[];
  readonly partial: boolean;
  readonly #above: Place | undefined;
  readonly #key: string | number;

  constructor(of: Pick<Place, "problems" | "partial">, above?: Place, key: string | number = "") {
    this.problems = of.problems;
    this.partial = of.partial;
    this.#above = above;
    this.#key = key;
  }

  get field(): string {
    if (this.#above === undefined) return "";
    const { field } = this.#above;
    return typeof this.#key === "number" ? `${field}[${this.#key}]` : joinField(field, this.#key);
  }

  at(key: string | number): Place {
    return new Place(this, this, key);
  }
}

function check(shape: Shape, value: unknown, place: Place): void {
  const expected = mismatch(shape, value);
  if (expected !== undefined) {
    reject(expected, value, place);
  } else if (shape.type === "string" && typeof value === "string") {
    checkText(shape, value, place);
  } else if (shape.type === "integer" && shape.minimum !== undefined && Number(value) < shape.minimum) {
    const message = `must be at least ${shape.minimum}, not ${String(value)}`;
    add(place, { field: place.field, severity: "error", message });
  } else if (shape.type === "array" && Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      if (!isFine(shape.items, item)) check(shape.items, item, place.at(index));
    }
  } else if (shape.type === "map" && isRecord(value)) {
    for (const [name, item] of Object.entries(value)) {
      if (!isFine(shape.values, item)) check(shape.values, item, place.at(name));
    }
  } else if (shape.type === "object" && isRecord(value)) {
    checkFields(shape, value, place);
  }
}

/** Of what most values are, at a glance: right, and of a shape that has no rules beside it. */
function isFine(shape: Shape, value: unknown): boolean {
  if (mismatch(shape, value) !== undefined) return false;
  switch (shape.type) {
    case "string":
      return (
        shape.enum === undefined &&
        shape.maxLength === undefined &&
        shape.pattern === undefined &&
        shape.format === undefined
      );
    case "integer":
      return shape.minimum === undefined;
    case "boolean":
    case "int-or-string":
    case "raw":
      return true;
    case "array":
    case "map":
    case "object":
      return false;
  }
}

function checkFields(shape: ObjectShape, value: { [name: string]: unknown }, place: Place): void {
  for (const name of place.partial ? [] : shape.required) {
    if (value[name] !== undefined && value[name] !== null) continue;
    add(place, {
      field: joinField(place.field, name),
      severity: "error",
      message: "is required but missing",
    });
  }
  for (const [name, item] of Object.entries(value)) {
    const below = shape.properties[name];
    if (item === undefined || item === null) continue;
    if (below !== undefined) {
      if (!isFine(below, item)) check(below, item, place.at(name));
    } else warnUnknown(shape, name, place.at(name));
  }
}

function warnUnknown(shape: ObjectShape, name: string, place: Place): void {
  if (shape.opaqueInCrd === true || isStatus(place.field)) return;
  const near = nearestName(name, Object.keys(shape.properties));
  const hint = near === undefined ? "" : `; did you mean ${near}?`;
  add(place, {
    field: place.field,
    severity: "warning",
    message: `is not a field that this version knows${hint}`,
    ...(near === undefined ? {} : { meant: near }),
  });
}

function checkText(rules: StringRules, value: string, place: Place): void {
  const allowed = rules.enum ?? [];
  if (!isAllowed(rules, value)) {
    const near = nearestName(value, allowed);
    add(place, {
      field: place.field,
      // A status that another version wrote must not make the object unreadable.
      severity: isStatus(place.field) ? "warning" : "error",
      message: `"${value}" is none of ${allowed.join(", ")}${near === undefined ? "" : `; did you mean ${near}?`}`,
    });
  }
  if (!isShort(rules, value)) {
    const message = `has ${value.length} characters, more than ${rules.maxLength}`;
    add(place, { field: place.field, severity: "error", message });
  }
  if (!isOfPattern(rules, value)) {
    const message = `"${value}" does not match ${rules.pattern}`;
    add(place, { field: place.field, severity: "error", message });
  }
  if (!isOfFormat(rules, value)) {
    const message = `"${value}" is no time; write it as 2006-01-02T15:04:05Z`;
    add(place, { field: place.field, severity: "error", message });
  }
}

function reject(expected: string, value: unknown, place: Place): void {
  const isBare = expected === "text" && (typeof value === "number" || typeof value === "boolean");
  const hint = isBare ? `; put it in quotes: "${String(value)}"` : "";
  add(place, {
    field: place.field,
    severity: "error",
    message: `must be ${expected}, not ${describe(value)}${hint}`,
  });
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  const text = String(value);
  return text.length > 40 || typeof value === "string" ? "text" : text;
}

function add({ problems }: Place, problem: FieldProblem): void {
  problems.push(problem);
}

function isStatus(field: string): boolean {
  return field === "status" || field.startsWith("status.");
}

/** spec.source, metadata.annotations["example.com/a"] */
export function joinField(field: string, name: string): string {
  if (!/^[\w-]+$/.test(name)) return `${field}[${JSON.stringify(name)}]`;
  return field === "" ? name : `${field}.${name}`;
}
