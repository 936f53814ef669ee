import { randomInt } from "node:crypto";

/** Without vowels and look-alikes, as k8s.io/apimachinery/pkg/util/rand has it. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";

export function randomSuffix(length = 5): string {
  let suffix = "";
  for (let at = 0; at < length; at++) suffix += alphabet[randomInt(alphabet.length)];
  return suffix;
}

/**
 * A name for a numbered revision of a value: a short hash of it, moved on by the count of collisions.
 * The digits stand for letters as in rand.SafeEncodeString; the hash itself need not be Kubernetes' own.
 */
export function revisionHash(value: unknown, collisionCount: number): string {
  const text = canonical(value) + (collisionCount > 0 ? String(collisionCount) : "");
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash ^= text.charCodeAt(at);
    hash = Math.imul(hash, 0x01000193);
  }
  return Array.from(String(hash >>> 0), (digit) => alphabet[digit.charCodeAt(0) % alphabet.length]).join("");
}

/** JSON with sorted keys, without undefined fields. Integers past 2^53 come as bigint. */
export function canonical(value: unknown): string {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`).join(",")}}`;
}
