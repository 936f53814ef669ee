import { isRecord } from "@capstan/formats";
import type { ObjectShape, Shape, StringRules } from "./schema.ts";

/**
 * Whether there is nothing at all to be said of a value, and no null in it: nearly all are so, and every watch event is
 * looked at. It makes no object.
 */
export function isFlawless(shape: Shape, value: unknown, partial = false): boolean {
  if (mismatch(shape, value) !== undefined) return false;
  switch (shape.type) {
    case "string":
      return hasRightText(shape, String(value));
    case "integer":
      return shape.minimum === undefined || Number(value) >= shape.minimum;
    case "array":
      return Array.isArray(value) && hasFlawlessItems(shape.items, value, partial);
    case "map":
      return isRecord(value) && hasFlawlessValues(shape.values, value, partial);
    case "object":
      return isRecord(value) && hasFlawlessFields(shape, value, partial);
    case "boolean":
    case "int-or-string":
    case "raw":
      return true;
  }
}

type Fields = { readonly [name: string]: unknown };

function hasFlawlessItems(shape: Shape, items: readonly unknown[], partial: boolean): boolean {
  for (let at = 0; at < items.length; at += 1) if (!isFlawless(shape, items[at], partial)) return false;
  return true;
}

function hasFlawlessValues(shape: Shape, value: Fields, partial: boolean): boolean {
  for (const name in value) if (!isFlawless(shape, value[name], partial)) return false;
  return true;
}

function hasFlawlessFields(shape: ObjectShape, value: Fields, partial: boolean): boolean {
  for (const name in value) {
    const below = shape.properties[name];
    const item = value[name];
    if (item !== undefined && (below === undefined || !isFlawless(below, item, partial))) return false;
  }
  if (!partial) for (const name of shape.required) if (value[name] === undefined) return false;
  return true;
}

function hasRightText(rules: StringRules, value: string): boolean {
  return (
    isAllowed(rules, value) && isShort(rules, value) && isOfPattern(rules, value) && isOfFormat(rules, value)
  );
}

/** What the value should have been, if it is something else. */
export function mismatch(shape: Shape, value: unknown): string | undefined {
  switch (shape.type) {
    case "string":
      return typeof value === "string" ? undefined : "text";
    case "integer":
      return isInteger(value) ? undefined : "a whole number";
    case "boolean":
      return typeof value === "boolean" ? undefined : "true or false";
    case "int-or-string":
      return isInteger(value) || typeof value === "string" ? undefined : "a whole number or text";
    case "array":
      return Array.isArray(value) ? undefined : "a list";
    case "raw":
      return !shape.object || isRecord(value) ? undefined : "an object";
    case "map":
    case "object":
      return isRecord(value) ? undefined : "an object";
  }
}

/** What a template is to become is not known yet. */
const isTemplated = (value: string): boolean => value.includes("{{");

export function isAllowed({ enum: allowed }: StringRules, value: string): boolean {
  return allowed === undefined || allowed.includes(value) || isTemplated(value);
}

export function isShort({ maxLength }: StringRules, value: string): boolean {
  return maxLength === undefined || value.length <= maxLength;
}

export function isOfPattern({ pattern }: StringRules, value: string): boolean {
  return pattern === undefined || isTemplated(value) || new RegExp(pattern, "u").test(value);
}

export function isOfFormat({ format }: StringRules, value: string): boolean {
  return format !== "date-time" || !Number.isNaN(Date.parse(value));
}

function isInteger(value: unknown): value is number | bigint {
  return typeof value === "bigint" || Number.isInteger(value);
}
