import type { AppProject } from "@capstan/model";
import { parsePolicy } from "./parse-policy.ts";
import {
  type MatchMode,
  type Policy,
  type PolicyProblem,
  type PolicyRule,
  projectScopedResources,
  type RoleGrant,
} from "./policy.ts";
import { readCsvLine } from "./read-csv-line.ts";

interface Found {
  readonly rules: PolicyRule[];
  readonly grants: RoleGrant[];
  readonly problems: PolicyProblem[];
}

/**
 * The roles of a project: each may see its project, and its groups have it (v1alpha1 AppProject.ProjectPoliciesString).
 * A role's lines give rights to it alone, as Argo CD's API asks of them (v1alpha1 validatePolicy), also where the
 * project was written past the API. A role of which a line cannot be read that may deny something has no rights.
 */
export function readProjectPolicy({ metadata, spec }: AppProject, matchMode: MatchMode): Policy {
  const all = matchMode === "regex" ? "" : "*";
  const found: Found = { rules: [], grants: [], problems: [] };
  for (const { name, policies = [], groups = [] } of spec.roles ?? []) {
    const role = `proj:${metadata.name}:${name}`;
    const source = `AppProject ${metadata.name}, role ${name}`;
    found.rules.push({
      ...{ subject: role, resource: "projects", action: "get" },
      object: metadata.name,
      isAllow: true,
    });
    const before = found.problems.length;
    for (const [index, text] of policies.entries())
      readRoleLine(found, { source, role, index, text, matchMode });
    if (found.problems.slice(before).some(({ mayDeny }) => mayDeny))
      found.rules.push({ ...{ subject: role, resource: all, action: all, object: all }, isAllow: false });
    for (const [index, group] of groups.entries()) {
      const { fields } = readCsvLine(group);
      const [member, ...more] = fields ?? [];
      if (member !== undefined && more.length === 0) found.grants.push({ member, role });
      else {
        const message = `the group is none; one that holds a comma is put in quotes: ${group}`;
        found.problems.push({ source, line: index + 1, message, isUnreadable: true, mayDeny: false });
      }
    }
  }
  return found;
}

interface RoleLine {
  source: string;
  role: string;
  index: number;
  text: string;
  matchMode: MatchMode;
}

function readRoleLine(found: Found, { source, role, index, text, matchMode }: RoleLine): void {
  const read = parsePolicy([{ name: source, text }], matchMode);
  for (const problem of read.problems) found.problems.push({ ...problem, line: index + 1 });
  const own = read.rules.filter(({ subject, isAllow }) => subject === role || !isAllow);
  found.rules.push(...own);
  if (own.length === read.rules.length && read.grants.length === 0) return;
  const message = `a line of the role gives rights to it alone, so that it must begin with p, ${role}: ${text}`;
  found.problems.push({ source, line: index + 1, message, isUnreadable: false, mayDeny: false });
}

/** Of which project the roles have a say about an object (server/rbacpolicy getProjectFromRequest). */
export function projectOfQuestion({
  resource,
  object,
}: {
  resource: string;
  object: string;
}): string | undefined {
  if (resource === "projects") return object;
  const [project, ...rest] = object.split("/");
  return projectScopedResources.has(resource) && rest.length > 0 ? project : undefined;
}
