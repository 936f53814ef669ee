export interface ProjectRoleName {
  readonly project: string;
  readonly role: string;
}

/** `proj:<project>:<role>`, the subject of a project role's token (rbacpolicy.GetProjectRoleFromSubject). */
export function projectRoleOf(subject: string): ProjectRoleName | undefined {
  const [kind, project, role, ...more] = subject.split(":");
  if (kind !== "proj" || project === undefined || role === undefined || more.length > 0) return undefined;
  return { project, role };
}

export function projectSubject({ project, role }: ProjectRoleName): string {
  return `proj:${project}:${role}`;
}
