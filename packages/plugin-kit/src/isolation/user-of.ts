import { hash } from "node:crypto";
import { readFileSync } from "node:fs";

/** Numbers that no person and no service of a machine has. */
const wide = { first: 200_000, count: 1_000_000_000 };
/** Where only the usual 65,536 exist, as in many containers. */
const narrow = { first: 20_000, count: 40_000 };
let range: typeof wide | undefined;

/** A user of a repository's own: the same for the same repository, and for no other but by a rare chance. */
export function userOf(repository: string): number {
  range ??= mappedUsers() > wide.first + wide.count ? wide : narrow;
  const number = Number.parseInt(hash("sha256", repository, "hex").slice(0, 12), 16);
  return range.first + (number % range.count);
}

/** How many users there are from 0 on: user_namespaces(7). */
function mappedUsers(): number {
  try {
    const [first = "", , count = ""] = readFileSync("/proc/self/uid_map", "utf8").trim().split(/\s+/);
    return first === "0" ? Number(count) : 0;
  } catch (error) {
    if (error instanceof Error && "code" in error) return 0;
    throw error;
  }
}
