import type { Settings } from "@capstan/kube";
import { type AppProject, CapstanError } from "@capstan/model";
import type { JWTPayload } from "jose";
import type { Identity } from "../../call.ts";
import { ownIssuer } from "../access/own-issuer.ts";
import { accountsOf, type LocalAccount } from "./accounts.ts";
import { type ProjectRoleName, projectRoleOf } from "./project-role.ts";
import { roleTokens } from "./role-tokens.ts";

export interface SubjectNeeds {
  readonly settings: Settings;
  /** By its name. */
  findProject(name: string): AppProject | undefined;
}

/** Whom a token of our own signature stands for, and the account that it is of; of a project's role there is none. */
export interface CheckedSubject {
  readonly identity: Identity;
  readonly account?: LocalAccount;
}

/** A token counts while what gave it still says so (util/session SessionManager.Parse). Throws UNAUTHENTICATED. */
export function checkSubject(payload: JWTPayload, { settings, findProject }: SubjectNeeds): CheckedSubject {
  const claims = readIdentity(payload);
  const role = projectRoleOf(claims.name);
  if (role !== undefined) {
    checkRoleToken(claims, role, findProject(role.project));
    return { identity: claims };
  }
  const [name = "", capability = "apiKey"] = claims.name.split(":");
  const account = accountsOf(settings).find((one) => one.name === name);
  if (!account) throw unauthenticated(`there is no account "${name}"`);
  checkAccount(account, capability, claims);
  return { identity: { ...claims, name }, account };
}

function readIdentity({ sub = "", jti, exp, iat = 0 }: JWTPayload): Identity {
  return { name: sub, groups: [], issuer: ownIssuer, tokenId: jti, expiresAt: exp, issuedAt: iat };
}

function checkAccount(account: LocalAccount, capability: string, { tokenId, issuedAt = 0 }: Identity): void {
  const { name, passwordChangedMs: changed } = account;
  if (!account.enabled) throw unauthenticated(`account "${name}" is disabled`);
  if (!account.capabilities.some((one) => one === capability))
    throw unauthenticated(`account "${name}" may not use ${capability} tokens`);
  if (tokenId === undefined || tokenId === "") throw unauthenticated("the token has no id");
  if (capability === "apiKey" && !account.tokens.some(({ id }) => id === tokenId))
    throw unauthenticated(`account "${name}" has no such token`);
  // Of tokens that Argo CD made, which know seconds alone; and of programs: a new password ends them too.
  if (changed !== undefined && issuedAt * 1000 < Math.floor(changed / 1000) * 1000)
    throw unauthenticated("the password was changed after the token was made: log in again");
}

/** By its id; one of before there were ids by the second in which it was made (v1alpha1 AppProject.GetJWTToken). */
function checkRoleToken(
  { tokenId, issuedAt, expiresAt }: Identity,
  { project: name, role }: ProjectRoleName,
  project: AppProject | undefined,
): void {
  if (!project?.spec.roles?.some((one) => one.name === role))
    throw unauthenticated(`project "${name}" has no role "${role}"`);
  const id = tokenId || String(issuedAt);
  const listed = roleTokens(project, role).find((one) => one.id === id);
  if (listed === undefined) throw unauthenticated(`role "${role}" of project "${name}" has no such token`);
  // Whoever shortened a token's life in the project meant it.
  if (listed.exp !== undefined && (expiresAt === undefined || expiresAt > listed.exp))
    throw unauthenticated(`the token of role "${role}" of project "${name}" should have ended sooner`);
}

export function unauthenticated(problem: string, cause?: unknown): CapstanError {
  return new CapstanError({ code: "UNAUTHENTICATED", problem }, cause);
}
