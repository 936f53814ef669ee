/** Whether a value is a JSON object. */
export function isRecord(value: unknown): value is { [field: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
