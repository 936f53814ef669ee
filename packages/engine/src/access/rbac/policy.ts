/** How patterns are read: `policy.matchMode`. */
export type MatchMode = "glob" | "regex";

/** One permission line: p, subject, resource, action, object, effect. */
export interface PolicyRule {
  readonly subject: string;
  readonly resource: string;
  readonly action: string;
  readonly object: string;
  readonly isAllow: boolean;
}

/** One membership line: g, member, role. */
export interface RoleGrant {
  readonly member: string;
  readonly role: string;
}

export interface PolicyProblem {
  /** Key of the ConfigMap, file, or role of a project. */
  readonly source: string;
  /** Counted from 1. */
  readonly line: number;
  /** Ends with the line itself. */
  readonly message: string;
  /** Argo CD takes nothing of a policy in which such a line stands; else the line says something other than it seems. */
  readonly isUnreadable: boolean;
  /** Without the line somebody could have more rights than was meant. */
  readonly mayDeny: boolean;
}

export interface Policy {
  readonly rules: readonly PolicyRule[];
  readonly grants: readonly RoleGrant[];
  readonly problems: readonly PolicyProblem[];
}

export interface PolicySource {
  readonly name: string;
  readonly text: string;
}

/** "policy.csv, line 3: …" */
export function describeProblem({ source, line, message }: PolicyProblem): string {
  return `${source}, line ${line}: ${message}`;
}

/** The kinds of objects that rights are about (util/rbac Resources). */
export const accessResources: readonly string[] = [
  "clusters",
  "projects",
  "applications",
  "applicationsets",
  "repositories",
  "write-repositories",
  "certificates",
  "accounts",
  "gpgkeys",
  "logs",
  "exec",
  "extensions",
  "settings",
];

/** Ours: in Argo CD nobody can be given a right on them, and its server passes over such lines. */
export const ownResources: ReadonlySet<string> = new Set(["settings"]);

/** Those of which the objects are named `<project>/…` (util/rbac ProjectScoped). */
export const projectScopedResources: ReadonlySet<string> = new Set([
  "applications",
  "applicationsets",
  "logs",
  "exec",
  "clusters",
  "repositories",
]);

/** What can be done with them; `action`, `update` and `delete` may go on with the kind of an application's object. */
export const accessActions: readonly string[] = [
  "get",
  "create",
  "update",
  "delete",
  "sync",
  "rollback",
  "override",
  "action",
  "invoke",
];
