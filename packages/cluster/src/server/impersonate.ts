import { badRequest } from "../objects/failures.ts";
import { mayDoAnything, type Rbac } from "../security/rbac.ts";
import { type Asker, accessDenied } from "../security/require-access.ts";
import type { User } from "../security/user.ts";
import type { RequestInfo } from "./request-info.ts";

interface Wanted {
  username: string;
  uid: string;
  groups: readonly string[];
  extra: Readonly<Record<string, readonly string[]>>;
}

const extraPrefix = "impersonate-extra-";
const account = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** kubectl --as: who the request is for, where the one who asks may speak for them (apiserver filters/impersonation). */
export function impersonate(rbac: Rbac, asker: Asker, headers: Readonly<Record<string, string>>): User {
  const wanted = readWanted(headers);
  if (wanted === undefined) return asker.user;
  if (!mayDoAnything(asker.user) && !mayImpersonate(rbac, asker.user, wanted))
    requireConstrained(rbac, asker, wanted);
  const { username, uid, groups, extra } = wanted;
  return {
    username,
    ...(uid && { uid }),
    groups: completeGroups(username, groups),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

function readWanted(headers: Readonly<Record<string, string>>): Wanted | undefined {
  if (!Object.keys(headers).some((name) => name.startsWith("impersonate-"))) return undefined;
  const username = headers["impersonate-user"] ?? "";
  const uid = headers["impersonate-uid"] ?? "";
  const groups = list(headers["impersonate-group"]);
  const extra = Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name.startsWith(extraPrefix))
      .map(([name, value]) => [decodeURIComponent(name.slice(extraPrefix.length)), list(value)]),
  );
  if (username !== "") return { username, uid, groups, extra };
  if (uid === "" && groups.length === 0 && Object.keys(extra).length === 0) return undefined;
  const shown =
    groups.length > 0
      ? `[]string{${groups.map((name) => JSON.stringify(name)).join(", ")}}`
      : "[]string(nil)";
  throw badRequest(
    `requested &user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${shown}, Extra:map[string][]string(nil)} without impersonating a user name`,
  );
}

function list(header: string | undefined): string[] {
  return (header ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function completeGroups(username: string, groups: readonly string[]): string[] {
  if (username === "system:anonymous") return [...new Set([...groups, "system:unauthenticated"])];
  const namespace = account.exec(username)?.[1];
  const own =
    namespace !== undefined && groups.length === 0
      ? ["system:serviceaccounts", `system:serviceaccounts:${namespace}`]
      : groups;
  return [...new Set([...own, "system:authenticated"])];
}

/** What must be allowed: one check for each thing that the request claims to be. */
function checksOf(wanted: Wanted, group: string): Omit<RequestInfo, "verb">[] {
  const none = { group, subresource: "", namespace: "", path: "" };
  const identity = { ...none, group: "authentication.k8s.io" };
  const [, namespace = "", name = ""] = account.exec(wanted.username) ?? [];
  return [
    name === ""
      ? { ...none, resource: "users", name: wanted.username }
      : { ...none, resource: "serviceaccounts", namespace, name },
    ...wanted.groups.map((one) => ({ ...none, resource: "groups", name: one })),
    ...(wanted.uid === "" ? [] : [{ ...identity, resource: "uids", name: wanted.uid }]),
    ...Object.entries(wanted.extra).flatMap(([key, values]) =>
      values.map((value) => ({ ...identity, resource: "userextras", subresource: key, name: value })),
    ),
  ];
}

function mayImpersonate(rbac: Rbac, user: User, wanted: Wanted): boolean {
  return checksOf(wanted, "").every(
    (check) => rbac.authorize({ user, verb: "impersonate", ...check }).allowed,
  );
}

/** KEP-5284: the right to be someone for one kind of request only. */
function requireConstrained(rbac: Rbac, { user, info }: Asker, wanted: Wanted): void {
  const mode = account.test(wanted.username) ? "serviceaccount" : "user-info";
  const verbs = { on: `impersonate-on:${mode}:${info.verb}`, as: `impersonate:${mode}` };
  const asked = [
    { ...info, verb: verbs.on },
    ...checksOf(wanted, "authentication.k8s.io").map((check) => ({ ...check, verb: verbs.as })),
  ];
  for (const one of asked) {
    const { allowed, reason } = rbac.authorize({ user, ...one });
    if (!allowed) throw accessDenied({ user, info: one }, reason);
  }
}
