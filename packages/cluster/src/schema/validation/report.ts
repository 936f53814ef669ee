import type { FieldError } from "../../types.ts";

/** Collects what is wrong with an object, in the words of apimachinery's field errors. */
export class Report {
  readonly errors: FieldError[] = [];

  required(field: string, detail = ""): void {
    this.#add("FieldValueRequired", field, `Required value${detail && `: ${detail}`}`);
  }

  invalid(field: string, value: unknown, detail: string): void {
    this.#add("FieldValueInvalid", field, `Invalid value: ${printValue(value)}${detail && `: ${detail}`}`);
  }

  /** One error for each message of a syntax check. */
  syntax(field: string, value: string, messages: readonly string[]): void {
    for (const message of messages) this.invalid(field, value, message);
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

  /** Whether the field, or something that holds it, is already reported. */
  covers(field: string): boolean {
    return this.errors.some(
      (error) =>
        error.field === field || field.startsWith(`${error.field}.`) || field.startsWith(`${error.field}[`),
    );
  }

  #add(reason: string, field: string, message: string): void {
    this.errors.push({ reason, field, message });
  }
}

function printValue(value: unknown): string {
  return JSON.stringify(value) ?? "null";
}
