import { isRecord, parseJson } from "@capstan/formats";
import type { OutboundAnswer } from "@capstan/outbound";

export const jsonHeaders = { "content-type": "application/json" };
export const formHeaders = { "content-type": "application/x-www-form-urlencoded" };

/** What an answer says, where that is a JSON object; else nothing in it. */
export function recordOf({ body }: Pick<OutboundAnswer, "body">): Record<string, unknown> {
  try {
    const value = parseJson(body.toString());
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

/** JSON that a template printed. `field` names it where it is none. */
export function readPrinted(text: string, field: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw new Error(`${field} is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A list in JSON that a template printed; an empty one where it printed nothing. */
export function readPrintedList(text: string, field: string): readonly unknown[] {
  if (text === "") return [];
  const value = readPrinted(text, field) ?? [];
  if (Array.isArray(value)) return value;
  throw new Error(`${field} is no list in JSON`);
}

/** Without fields that are empty, as `omitempty` leaves them out in Go. */
export function withoutEmpty(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const isEmpty = (value: unknown) =>
    value === undefined || value === "" || value === false || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));
}
