import { type AppProject, argoApiVersion, CapstanError } from "@capstan/model";
import type { Identity } from "../../call.ts";
import { isProject, projectKey } from "../access/find-project.ts";
import { requireRight } from "../access/rights.ts";
import { untilEchoed } from "../live-waits.ts";
import type { AccountToken } from "../session/accounts.ts";
import { type ProjectRoleName, projectSubject } from "../session/project-role.ts";
import { roleTokens, withRoleTokens } from "../session/role-tokens.ts";
import { writeAnew } from "../write-anew.ts";
import type { ProjectNeeds } from "./project-handlers.ts";

interface TokenChange {
  readonly role: ProjectRoleName;
  /** Called again when somebody else wrote meanwhile; undefined: nothing is to be changed. */
  change(tokens: readonly AccountToken[]): AccountToken[] | undefined;
}

interface Asker {
  readonly user: Identity;
  readonly signal: AbortSignal;
}

/**
 * Changes the tokens of a role, in the project's specification and in its status. Whoever may change the project may,
 * and whom one of the role's groups has (server/project CreateToken).
 */
export async function changeProjectTokens(
  { kube, live, rights, clock, controlNamespace: namespace }: ProjectNeeds,
  { role: { project, role }, change }: TokenChange,
  { user, signal }: Asker,
): Promise<void> {
  const ref = { apiVersion: argoApiVersion, kind: "AppProject", namespace, name: project };
  const written = await writeAnew(`role ${projectSubject({ project, role })}`, async () => {
    const current = await kube.get(ref, signal);
    const found = isProject(current) ? current : undefined;
    if (!hasOneOfGroups(found, role, user))
      requireRight(rights, user, { resource: "projects", action: "update", object: project });
    if (found === undefined) throw new CapstanError({ code: "NOT_FOUND", what: `project "${project}"` });
    if (!found.spec.roles?.some(({ name }) => name === role))
      throw new CapstanError({ code: "NOT_FOUND", what: `role "${role}" of project "${project}"` });
    const tokens = change(roleTokens(found, role));
    return tokens && kube.replace(withRoleTokens(found, role, tokens), { signal });
  });
  if (written) await untilEchoed(live, { key: projectKey(namespace, project), written }, { clock, signal });
}

function hasOneOfGroups(project: AppProject | undefined, role: string, { groups }: Identity): boolean {
  const own = project?.spec.roles?.find(({ name }) => name === role)?.groups ?? [];
  return own.some((group) => groups.includes(group));
}
