import type { AccessRequest, Verdict } from "../server/api.ts";

const openPaths = new Set(["/healthz", "/livez", "/readyz", "/version", "/version/"]);
const discoveryPaths = /^\/(?:api|apis|openapi)(?:\/|$)/;

/** Members of system:masters may do everything, and all others may discover. RBAC rules are not evaluated yet. */
export function authorize({ user, path, resource }: AccessRequest): Verdict {
  if (user.groups.includes("system:masters")) return { allowed: true, reason: "" };
  if (resource === "") {
    const known = user.groups.includes("system:authenticated");
    if (openPaths.has(path) || (known && discoveryPaths.test(path))) return { allowed: true, reason: "" };
  }
  return { allowed: false, reason: "" };
}
