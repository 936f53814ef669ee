import { CapstanError, formatTime } from "@capstan/model";
import { compare, hash } from "bcryptjs";
import type { HandlerOf, Identity } from "../../call.ts";
import { requireRight } from "../access/rights.ts";
import type { ApiContext } from "../context.ts";
import { accountsOf, type LocalAccount } from "../session/accounts.ts";

type Needs = Pick<ApiContext, "settings" | "rights" | "kube" | "clock" | "controlNamespace">;

export function listAccounts({ settings, rights }: Needs): HandlerOf<"listAccounts"> {
  return async (_request, { user }) => ({
    items: accountsOf(settings.current)
      .filter(({ name }) => rights.allows(user, { resource: "accounts", action: "get", object: name }))
      .map(shown),
  });
}

export function getAccount({ settings, rights }: Needs): HandlerOf<"getAccount"> {
  return async ({ name }, { user }) => {
    if (name !== user.name) requireRight(rights, user, { resource: "accounts", action: "get", object: name });
    return shown(findAccount({ settings }, name));
  };
}

function shown({ name, enabled, capabilities, tokens }: LocalAccount) {
  return {
    name,
    enabled,
    capabilities: [...capabilities],
    tokens: tokens.map(({ id, iat, exp }) => ({ id, issuedAt: iat, expiresAt: exp ?? 0 })),
  };
}

function findAccount({ settings }: Pick<Needs, "settings">, name: string): LocalAccount {
  const found = accountsOf(settings.current).find((account) => account.name === name);
  if (!found) throw new CapstanError({ code: "NOT_FOUND", what: `account "${name}"` });
  return found;
}

export function canI({ rights }: Needs): HandlerOf<"canI"> {
  return async ({ resource, action, subresource }, { user }) => ({
    value: rights.allows(user, { resource, action, object: subresource }) ? "yes" : "no",
  });
}

/** The own password needs the current one; another's needs the right and the own current one. */
export function updatePassword(context: Needs): HandlerOf<"updatePassword"> {
  return async ({ name, currentPassword, newPassword }, { user, signal }) => {
    const { settings, rights, kube, clock, controlNamespace } = context;
    const target = findAccount(context, name || user.name);
    if (target.name !== user.name)
      requireRight(rights, user, { resource: "accounts", action: "update", object: target.name });
    await checkCurrent(findAccount(context, user.name), currentPassword, user);
    const { passwordPattern } = settings.current.general;
    if (!new RegExp(passwordPattern).test(newPassword))
      throw new CapstanError({
        code: "INVALID_ARGUMENT",
        field: "newPassword",
        problem: `does not match ${passwordPattern}`,
      });
    const prefix = target.name === "admin" ? "admin" : `accounts.${target.name}`;
    const stringData = {
      [`${prefix}.password`]: await hash(newPassword, 10),
      [`${prefix}.passwordMtime`]: formatTime(clock.now()),
    };
    const ref = { apiVersion: "v1", kind: "Secret", name: "argocd-secret", namespace: controlNamespace };
    await kube.patch(ref, { type: "merge", body: { stringData } }, { signal });
    return {};
  };
}

async function checkCurrent({ passwordHash }: LocalAccount, given: string, user: Identity): Promise<void> {
  const isRight =
    passwordHash !== undefined && (await compare(String(given ?? ""), passwordHash).catch(() => false));
  if (!isRight)
    throw new CapstanError({
      code: "INVALID_ARGUMENT",
      field: "currentPassword",
      problem: `is not the password of ${user.name}`,
    });
}
