import type { AppProject } from "@capstan/model";
import { ExitError, type FlagValues, UsageError } from "../../command.ts";
import { withSpec } from "./change-project.ts";

export type ProjectRole = NonNullable<AppProject["spec"]["roles"]>[number];

export function findRole({ metadata, spec }: AppProject, name: string): ProjectRole {
  const found = spec.roles?.find((role) => role.name === name);
  if (!found) throw new ExitError(`role '${name}' does not exist in project '${metadata.name}'`, 20);
  return found;
}

export function withRole(project: AppProject, role: ProjectRole): AppProject {
  const roles = (project.spec.roles ?? []).map((one) => (one.name === role.name ? role : one));
  return withSpec(project, { roles });
}

export const policyFlags = {
  action: { kind: "string", short: "a", help: "What may be done: get, create, sync, …", value: "ACTION" },
  permission: {
    kind: "string",
    short: "p",
    help: "Whether it may be done",
    choices: ["allow", "deny"],
    byDefault: "allow",
  },
  object: { kind: "string", short: "o", help: "To which object of the project; * for all", value: "OBJECT" },
  resource: {
    kind: "string",
    short: "r",
    help: "To what kind of object",
    choices: ["applications", "applicationsets", "logs", "exec", "clusters", "repositories"],
    byDefault: "applications",
  },
} as const;

/** One line of policy, as argocd writes it (project_role.go policyTemplate). */
export function policyLine(
  { metadata: { name } }: AppProject,
  role: string,
  flags: FlagValues<typeof policyFlags>,
): string {
  const { action, object, permission = "allow", resource = "applications" } = flags;
  if (!action || !object) throw new UsageError("--action and --object are needed");
  return `p, proj:${name}:${role}, ${resource}, ${action}, ${name}/${object}, ${permission}`;
}
