import { formatTime } from "@capstan/formats";
import { CapstanError } from "@capstan/model";
import type { Call, HandlerOf } from "../../call.ts";
import { requireRight } from "../access/rights.ts";
import type { ApiContext } from "../context.ts";
import { accountsOf, type LocalAccount } from "../session/accounts.ts";
import type { Throttle } from "../session/kept-throttle.ts";
import type { Passwords } from "../session/passwords.ts";

interface Needs extends Pick<ApiContext, "settings" | "rights" | "kube" | "clock" | "controlNamespace"> {
  passwords: Passwords;
  throttle: Throttle;
}

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
  return async ({ name, currentPassword, newPassword }, call) => {
    const { user, signal } = call;
    const { settings, rights, kube, clock, controlNamespace } = context;
    const target = findAccount(context, name || user.name);
    if (target.name !== user.name)
      requireRight(rights, user, { resource: "accounts", action: "update", object: target.name });
    await checkCurrent(context, currentPassword, call);
    const { passwordPattern } = settings.current.general;
    if (typeof newPassword !== "string" || !new RegExp(passwordPattern).test(newPassword))
      throw new CapstanError({
        code: "INVALID_ARGUMENT",
        field: "newPassword",
        problem: `does not match ${passwordPattern}`,
      });
    const prefix = target.name === "admin" ? "admin" : `accounts.${target.name}`;
    const stringData = {
      [`${prefix}.password`]: await context.passwords.hash(newPassword, user.name),
      [`${prefix}.passwordMtime`]: formatTime(clock.now()),
    };
    const ref = { apiVersion: "v1", kind: "Secret", name: "argocd-secret", namespace: controlNamespace };
    await kube.patch(ref, { type: "merge", body: { stringData } }, { signal });
    return {};
  };
}

/** Whoever stole a session may not guess at the password either. */
async function checkCurrent(context: Needs, given: unknown, { user, address }: Call): Promise<void> {
  const { throttle, passwords } = context;
  const { passwordHash } = findAccount(context, user.name);
  const attempt = { account: user.name, address, tokenId: user.tokenId };
  const isBlocked = await throttle.isBlocked(attempt);
  const isRight =
    !isBlocked &&
    passwordHash !== undefined &&
    (await passwords.matches(String(given ?? ""), passwordHash, user.name));
  if (isRight) return throttle.succeeded(attempt);
  if (!isBlocked) await throttle.failed(attempt);
  throw new CapstanError({
    code: "INVALID_ARGUMENT",
    field: "currentPassword",
    problem: `is not the password of ${user.name}${isBlocked ? ", or was wrong too often: wait five minutes" : ""}`,
  });
}
