import type { Settings } from "@capstan/kube";
import { CapstanError } from "@capstan/model";
import type { Identity } from "../../call.ts";
import { ownIssuer } from "../access/own-issuer.ts";
import { type Rights, requireRight } from "../access/rights.ts";
import { accountsOf, type LocalAccount } from "../session/accounts.ts";

export function findAccount(settings: Settings, name: string): LocalAccount {
  const found = accountsOf(settings).find((account) => account.name === name);
  if (!found) throw new CapstanError({ code: "NOT_FOUND", what: `account "${name}"` });
  return found;
}

/** Somebody whom an identity provider calls the same is somebody else. */
export function isOwn({ name, issuer }: Identity, account: string): boolean {
  return name === account && issuer === ownIssuer;
}

/** Everybody may see and change the own account (server/account ensureHasAccountPermission). */
export function requireAccountRight(
  rights: Rights,
  user: Identity,
  { action, account }: { action: "get" | "update"; account: string },
): void {
  if (!isOwn(user, account)) requireRight(rights, user, { resource: "accounts", action, object: account });
}
