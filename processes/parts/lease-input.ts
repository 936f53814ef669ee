import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { Means } from "../surroundings/open-means.ts";

/** This process's own name among those that share its work: another one after each start. */
const identity = `${hostname()
  .toLowerCase()
  .replace(/[^a-z0-9-]+/g, "-")
  .slice(0, 63)
  .replace(/^-+|-+$/g, "")}-${randomBytes(4).toString("hex")}`;

/** What every Lease of this process is held with. */
export function leaseInput({ kube: client, namespace, clock, log }: Means) {
  return { client, namespace, identity, clock, monotonic: () => performance.now(), log };
}
