import { stringifyJson } from "@capstan/formats";
import type { FieldError } from "../../types.ts";

/** Nobody reads more, and each is said twice in the answer. */
const mostErrors = 200;

/** Collects what is wrong with an object, in the words of apimachinery's field errors. */
export class Report {
  readonly errors: FieldError[] = [];
  /** Fields that are settled, and those of the first so many errors. */
  readonly #told = new Set<string>();
  #indexed = 0;

  required(field: string, detail = ""): void {
    this.#add("FieldValueRequired", field, `Required value${detail && `: ${detail}`}`);
  }

  invalid(field: string, value: unknown, detail: string): void {
    this.#add("FieldValueInvalid", field, `Invalid value: ${printValue(value)}${detail && `: ${detail}`}`);
  }

  /** Invalid as a whole: the value is not shown. */
  wrong(field: string, detail: string): void {
    this.#add("FieldValueInvalid", field, `Invalid value: ${detail}`);
  }

  /** One error for each message of a syntax check. */
  syntax(field: string, value: string, messages: readonly string[]): void {
    for (const message of messages) this.invalid(field, value, message);
  }

  /** A text that must be there, and be as the syntax check wants it. */
  named(field: string, text: string, syntax: (text: string) => readonly string[]): void {
    if (text) this.syntax(field, text, syntax(text));
    else this.required(field);
  }

  /** Where something is set, one of these. */
  oneOf(field: string, value: unknown, allowed: readonly string[]): void {
    if (value !== undefined && !allowed.includes(`${value}`)) this.unsupported(field, value, allowed);
  }

  /** Not among those before it, which it joins. */
  unique(field: string, value: string, before: Set<string>): void {
    if (before.has(value)) this.duplicate(field, value);
    before.add(value);
  }

  unsupported(field: string, value: unknown, supported: readonly unknown[]): void {
    const list = supported.map((item) => printValue(item)).join(", ");
    this.#add(
      "FieldValueNotSupported",
      field,
      `Unsupported value: ${printValue(value)}: supported values: ${list}`,
    );
  }

  forbidden(field: string, detail: string): void {
    this.#add("FieldValueForbidden", field, `Forbidden: ${detail}`);
  }

  duplicate(field: string, value: unknown, detail = ""): void {
    this.#add(
      "FieldValueDuplicate",
      field,
      `Duplicate value: ${printValue(value)}${detail && `: ${detail}`}`,
    );
  }

  notFound(field: string, value: unknown): void {
    this.#add("FieldValueNotFound", field, `Not found: ${printValue(value)}`);
  }

  typeInvalid(field: string, value: unknown, detail: string): void {
    this.#add("FieldValueTypeInvalid", field, `Invalid value: ${printValue(value)}: ${detail}`);
  }

  tooLong(field: string, detail: string): void {
    this.#add("FieldValueTooLong", field, `Too long: ${detail}`);
  }

  tooMany(field: string, actual: number, most: number): void {
    this.#add("FieldValueTooMany", field, `Too many: ${actual}: must have at most ${most} items`);
  }

  /** All that kube-apiserver says of the field and what is below has been said: the types add nothing. */
  settle(field: string): void {
    this.#told.add(field);
  }

  /** Whether the field, or something that holds it, is already reported. */
  covers(field: string): boolean {
    for (; this.#indexed < this.errors.length; this.#indexed += 1)
      this.#told.add(this.errors[this.#indexed]?.field ?? "");
    for (const { index } of field.matchAll(/[.[]/g)) if (this.#told.has(field.slice(0, index))) return true;
    return this.#told.has(field);
  }

  #add(reason: string, field: string, message: string): void {
    if (this.errors.length < mostErrors) this.errors.push({ reason, field, message });
  }
}

function printValue(value: unknown): string {
  return stringifyJson(value) ?? "null";
}
