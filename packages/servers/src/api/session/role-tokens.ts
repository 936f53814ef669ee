import type { AppProject } from "@capstan/model";
import type { AccountToken } from "./accounts.ts";

/**
 * The tokens of a project's role, newest first: of its specification and of its status, which Argo CD keeps alike, and
 * either of which an older one wrote alone. Those of before there were ids have the second in which they were made.
 * Source: v1alpha1 AppProject.NormalizeJWTTokens.
 */
export function roleTokens({ spec, status }: AppProject, role: string): AccountToken[] {
  const inSpec = spec.roles?.find(({ name }) => name === role)?.jwtTokens ?? [];
  const inStatus = status?.jwtTokensByRole?.[role]?.items ?? [];
  const byId = new Map([...inStatus, ...inSpec].map((token) => [token.id || String(token.iat), token]));
  return [...byId]
    .map(([id, { iat, exp }]) => ({ iat, ...(exp ? { exp } : {}), id }))
    .sort((left, right) => right.iat - left.iat);
}

/** The project with these tokens for a role; the others' as Argo CD would write them. Those of no role are dropped. */
export function withRoleTokens(
  project: AppProject,
  role: string,
  tokens: readonly AccountToken[],
): AppProject {
  return writeTokens(project, (name) => (name === role ? tokens : roleTokens(project, name)));
}

/** Tokens of roles that were removed must not count again where a role of that name is made anew. */
export function normalizeRoleTokens(project: AppProject): AppProject {
  return project.status?.jwtTokensByRole === undefined && !project.spec.roles?.some((role) => role.jwtTokens)
    ? project
    : writeTokens(project, (name) => roleTokens(project, name));
}

function writeTokens(project: AppProject, tokensOf: (role: string) => readonly AccountToken[]): AppProject {
  const roles = (project.spec.roles ?? []).map(({ jwtTokens: _, ...role }) => {
    const tokens = [...tokensOf(role.name)];
    return tokens.length > 0 ? { ...role, jwtTokens: tokens } : role;
  });
  const byRole = Object.fromEntries(
    roles.map((role) => [role.name, "jwtTokens" in role ? { items: role.jwtTokens } : {}]),
  );
  return {
    ...project,
    spec: { ...project.spec, roles },
    status: { ...project.status, jwtTokensByRole: byRole },
  };
}
