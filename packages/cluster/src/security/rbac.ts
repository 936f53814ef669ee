import { isObject, type JsonObject, listAt, objectAt, textAt } from "../schema/json.ts";
import type { Entry } from "../store/entry.ts";
import type { Store } from "../store/store.ts";
import { type Asked, type PolicyRule, readRules, ruleAllows } from "./policy-rule.ts";
import type { User } from "./user.ts";

export const rbacGroup = "rbac.authorization.k8s.io";

export interface AccessRequest extends Asked {
  readonly user: User;
  readonly namespace: string;
}

export interface Verdict {
  readonly allowed: boolean;
  readonly reason: string;
}

/** A rule that holds for somebody, or the role that a binding names in vain. */
type Found = { rule: PolicyRule; by: string } | { missing: { kind: string; name: string } };

export interface Holdings {
  rules: PolicyRule[];
  /** Roles that bindings name and that are not there. */
  missing: { kind: string; name: string }[];
}

/** Role-based access control over the stored roles and bindings (plugin/pkg/auth/authorizer/rbac). */
export class Rbac {
  readonly #store: Pick<Store, "get" | "list">;
  /** Read once for each version of a role or binding. */
  readonly #rules = new WeakMap<Entry, readonly PolicyRule[]>();
  readonly #bindings = new WeakMap<Entry, Binding>();

  constructor(store: Pick<Store, "get" | "list">) {
    this.#store = store;
  }

  authorize(request: AccessRequest): Verdict {
    if (mayDoAnything(request.user)) return { allowed: true, reason: "" };
    const missing: string[] = [];
    for (const found of this.#search(request.user, request.namespace)) {
      if ("missing" in found)
        missing.push(
          `${found.missing.kind.toLowerCase()}.${rbacGroup} ${JSON.stringify(found.missing.name)} not found`,
        );
      else if (ruleAllows(found.rule, request))
        return { allowed: true, reason: `RBAC: allowed by ${found.by}` };
    }
    return { allowed: false, reason: missing.length > 0 ? `RBAC: ${aggregate(missing)}` : "" };
  }

  holdings(user: User, namespace: string): Holdings {
    const holdings: Holdings = { rules: [], missing: [] };
    for (const found of this.#search(user, namespace))
      if ("missing" in found) holdings.missing.push(found.missing);
      else holdings.rules.push(found.rule);
    return holdings;
  }

  /** The rules of a role as a binding names it; undefined where it is not there. */
  rulesOf(role: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    const entry =
      role.kind === "Role"
        ? this.#store.get(`${rbacGroup}/roles`, namespace, role.name)
        : this.#store.get(`${rbacGroup}/clusterroles`, "", role.name);
    if (entry === undefined) return undefined;
    const rules = this.#rules.get(entry) ?? readRules(entry.object);
    this.#rules.set(entry, rules);
    return rules;
  }

  *#search(user: User, namespace: string): Generator<Found> {
    const everywhere = this.#store.list(`${rbacGroup}/clusterrolebindings`);
    const here = namespace === "" ? [] : this.#store.list(`${rbacGroup}/rolebindings`, namespace);
    for (const entry of [...everywhere, ...here]) {
      const { role, subjects } = this.#binding(entry);
      const subject = subjects.find((candidate) => isSubject(candidate, user, entry.namespace));
      if (subject === undefined) continue;
      const rules = this.rulesOf(role, entry.namespace);
      if (rules === undefined) yield { missing: role };
      else {
        const by = describe(entry, role, subject);
        for (const rule of rules) yield { rule, by };
      }
    }
  }

  #binding(entry: Entry): Binding {
    const known = this.#bindings.get(entry);
    if (known !== undefined) return known;
    const role = readRoleRef(entry.object);
    const binding = { role, subjects: listAt(entry.object, "subjects").filter(isObject) };
    this.#bindings.set(entry, binding);
    return binding;
  }
}

export interface RoleRef {
  kind: string;
  name: string;
}

interface Binding {
  role: RoleRef;
  subjects: readonly JsonObject[];
}

export function readRoleRef(binding: unknown): RoleRef {
  const role = objectAt(binding, "roleRef");
  return { kind: textAt(role, "kind"), name: textAt(role, "name") };
}

/** The group that kube-apiserver never asks about (user.SystemPrivilegedGroup). */
export function mayDoAnything({ groups }: User): boolean {
  return groups.includes("system:masters");
}

/** utilerrors.Aggregate */
export function aggregate(texts: readonly string[]): string {
  const unique = [...new Set(texts)];
  return unique.length === 1 ? (unique[0] ?? "") : `[${unique.join(", ")}]`;
}

function isSubject(subject: JsonObject, user: User, bindingNamespace: string): boolean {
  const name = textAt(subject, "name");
  switch (subject.kind) {
    case "User":
      return user.username === name;
    case "Group":
      return user.groups.includes(name);
    case "ServiceAccount":
      return (
        user.username === `system:serviceaccount:${textAt(subject, "namespace") || bindingNamespace}:${name}`
      );
    default:
      return false;
  }
}

function describe({ name, namespace }: Entry, role: RoleRef, subject: JsonObject): string {
  const kind = namespace === "" ? "ClusterRoleBinding" : "RoleBinding";
  const binding = namespace === "" ? name : `${name}/${namespace}`;
  const isAccount = subject.kind === "ServiceAccount";
  const who = isAccount
    ? `${textAt(subject, "name")}/${textAt(subject, "namespace") || namespace}`
    : textAt(subject, "name");
  const quote = JSON.stringify;
  return `${kind} ${quote(binding)} of ${role.kind} ${quote(role.name)} to ${subject.kind} ${quote(who)}`;
}
