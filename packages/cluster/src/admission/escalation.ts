import { forbidden, notFound } from "../objects/failures.ts";
import type { Review } from "../objects/world.ts";
import { isObject, sameJson } from "../schema/json.ts";
import { goList, missingRules, type PolicyRule, printRule, readRules } from "../security/policy-rule.ts";
import { mayDoAnything, type Rbac, rbacGroup, readRoleRef } from "../security/rbac.ts";
import type { User } from "../security/user.ts";
import type { KubeObject } from "../types.ts";

const roles: readonly string[] = ["roles", "clusterroles"];
const bindings: readonly string[] = ["rolebindings", "clusterrolebindings"];

/** Nobody grants what they do not hold (pkg/registry/rbac/*\/policybased storage). */
export function guardEscalation(rbac: Rbac, review: Review): void {
  const { served, requester, object, previous } = review;
  if (served.info.group !== rbacGroup || object === undefined) return;
  if (requester === undefined || mayDoAnything(requester)) return;
  const { resource } = served.info;
  const isRole = roles.includes(resource);
  if (!isRole && !bindings.includes(resource)) return;
  if (previous !== undefined && onlyOwnersDiffer(previous, object)) return;
  if (isRole) guardRole(rbac, review, requester);
  else guardBinding(rbac, review, requester);
}

/** rbacregistry.IsOnlyMutatingGCFields */
function onlyOwnersDiffer(previous: KubeObject, object: KubeObject): boolean {
  return (
    sameJson(withoutOwners(previous), withoutOwners(object)) && !sameJson(owners(previous), owners(object))
  );
}

function owners({ metadata }: KubeObject): unknown {
  return [metadata.ownerReferences ?? [], metadata.finalizers ?? []];
}

function withoutOwners({ metadata, ...rest }: KubeObject): Record<string, unknown> {
  const { ownerReferences: _owners, finalizers: _finalizers, managedFields: _fields, ...kept } = metadata;
  return { ...rest, metadata: kept };
}

function guardRole(rbac: Rbac, review: Review, user: User): void {
  const { served, object, namespace, name } = review;
  const asked = { user, verb: "escalate", group: rbacGroup, resource: served.info.resource };
  if (rbac.authorize({ ...asked, subresource: "", namespace, name, path: "" }).allowed) return;
  if (isObject(object?.aggregationRule) && missingRules(rbac.holdings(user, "").rules, everything).length > 0)
    throw forbidden(
      { info: served.info, name },
      "must have cluster-admin privileges to use the aggregationRule",
    );
  requireHeld(rbac, { review, user, rules: readRules(object) });
}

const everything: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"], resourceNames: [], nonResourceURLs: [] },
  { verbs: ["*"], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ["*"] },
];

function guardBinding(rbac: Rbac, review: Review, user: User): void {
  const { served, object, namespace } = review;
  const role = readRoleRef(object);
  const resource = role.kind === "Role" ? "roles" : "clusterroles";
  const asked = { user, verb: "bind", group: rbacGroup, resource, subresource: "", path: "" };
  if (rbac.authorize({ ...asked, namespace, name: role.name }).allowed) return;
  const rules = rbac.rulesOf(role, namespace);
  if (rules === undefined) throw notFound(served.info, role.name);
  requireHeld(rbac, { review, user, rules });
}

interface Grant {
  review: Review;
  user: User;
  rules: readonly PolicyRule[];
}

/** pkg/registry/rbac/validation ConfirmNoEscalation */
function requireHeld(rbac: Rbac, { review, user, rules }: Grant): void {
  const { served, name, namespace } = review;
  const owned = rbac.holdings(user, namespace);
  const missing = missingRules(owned.rules, rules);
  if (missing.length === 0) return;
  const lines = [...new Set(missing.map(printRule))].sort();
  const unresolved = owned.missing.map(
    (role) => `${role.kind.toLowerCase()}s.${rbacGroup} ${JSON.stringify(role.name)} not found`,
  );
  const errors = unresolved.length > 0 ? `; resolution errors: [${unresolved.join(" ")}]` : "";
  throw forbidden(
    { info: served.info, name },
    `user ${JSON.stringify(user.username)} (groups=${goList(user.groups)}) is attempting to grant RBAC permissions not currently held:\n${lines.join("\n")}${errors}`,
  );
}
