import { ApiError } from "../types.ts";
import { type AccessRequest, mayDoAnything, type Rbac } from "./rbac.ts";
import type { User } from "./user.ts";

export interface Asker {
  readonly user: User;
  readonly info: Omit<AccessRequest, "user">;
}

/** Throws the 403 of apiserver's responsewriters.Forbidden where RBAC does not allow the request. */
export function requireAccess(rbac: Rbac, { user, info }: Asker): void {
  if (mayDoAnything(user)) return;
  const { allowed, reason } = rbac.authorize({ user, ...info });
  if (!allowed) throw accessDenied({ user, info }, reason);
}

export function accessDenied({ user, info }: Asker, reason: string): ApiError {
  const { verb, group, resource, subresource, namespace, name, path } = info;
  const because = reason === "" ? "" : `: ${reason}`;
  if (resource === "")
    return new ApiError(
      403,
      "Forbidden",
      `forbidden: User ${JSON.stringify(user.username)} cannot ${verb} path ${JSON.stringify(path)}${because}`,
      {},
    );
  const what = subresource === "" ? resource : `${resource}/${subresource}`;
  const scope = namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  const qualified = group === "" ? resource : `${resource}.${group}`;
  const subject = name === "" ? qualified : `${qualified} ${JSON.stringify(name)}`;
  return new ApiError(
    403,
    "Forbidden",
    `${subject} is forbidden: User ${JSON.stringify(user.username)} cannot ${verb} resource "${what}" in API group "${group}" ${scope}${because}`,
    { ...(name && { name }), ...(group && { group }), kind: resource },
  );
}
