import { sameJson } from "../schema/json.ts";
import type { KubeObject, Objects } from "../types.ts";

/** Writes a status that differs from the one there; otherwise nothing happens. Answers the object as it is then. */
export async function writeStatus<T extends KubeObject>(
  objects: Objects,
  type: string,
  { object, status }: { object: T; status: object },
): Promise<T> {
  const next = compact(status);
  if (sameJson(next, compact(object.status))) return object;
  return objects.update<T>(type, { ...object, status: next }, "status");
}

/** Without undefined fields at any depth, as JSON would leave it. */
function compact(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(compact);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([key, field]) => [key, compact(field)]));
}

/** Go's omitempty for counts: zero is left out. */
export function unlessZero(count: number): number | undefined {
  return count === 0 ? undefined : count;
}
