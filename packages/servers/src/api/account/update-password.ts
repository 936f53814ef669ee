import { formatTime } from "@capstan/formats";
import { tryRegexp } from "@capstan/formats/re2";
import { CapstanError } from "@capstan/model";
import type { Call, HandlerOf, Identity } from "../../call.ts";
import { ownIssuer } from "../access/own-issuer.ts";
import { requireRight } from "../access/rights.ts";
import type { ApiContext } from "../context.ts";
import { secretPrefix } from "../session/accounts.ts";
import type { Throttle } from "../session/kept-throttle.ts";
import type { Passwords } from "../session/passwords.ts";
import { projectRoleOf } from "../session/project-role.ts";
import { findAccount, isOwn } from "./find-account.ts";

interface Needs extends Pick<ApiContext, "settings" | "rights" | "kube" | "clock" | "controlNamespace"> {
  passwords: Passwords;
  throttle: Throttle;
}

/**
 * The own password needs the current one; another's needs the right and the own current one. Who came through an
 * identity provider has no password here: the right, and a login of just now (server/account UpdatePassword).
 */
export function updatePassword(context: Needs): HandlerOf<"updatePassword"> {
  return async ({ name, currentPassword, newPassword }, call) => {
    const { user, signal } = call;
    const { settings, rights, kube, clock, controlNamespace } = context;
    if (user.issuer === ownIssuer && projectRoleOf(user.name) !== undefined)
      throw new CapstanError({ code: "FORBIDDEN", action: "update", what: "passwords", user: user.name });
    const wanted = name || user.name;
    if (!isOwn(user, wanted))
      requireRight(rights, user, { resource: "accounts", action: "update", object: wanted });
    const target = findAccount(settings.current, wanted);
    if (user.issuer === ownIssuer) await checkCurrent(context, currentPassword, call);
    else checkFresh(user, clock.now());
    const { passwordPattern } = settings.current.general;
    const pattern = tryRegexp(passwordPattern);
    if (!pattern)
      throw new CapstanError({
        code: "FAILED_PRECONDITION",
        what: "passwordPattern in ConfigMap argocd-cm",
        problem: "is not a regular expression of Go (RE2): no password can be set until it is mended",
      });
    if (typeof newPassword !== "string" || !pattern.test(newPassword))
      throw new CapstanError({
        code: "INVALID_ARGUMENT",
        field: "newPassword",
        problem: `does not match ${passwordPattern}`,
      });
    const prefix = secretPrefix(target.name);
    const stringData = {
      [`${prefix}.password`]: await context.passwords.hash(newPassword, user.name),
      [`${prefix}.passwordMtime`]: formatTime(clock.now()),
    };
    const ref = { apiVersion: "v1", kind: "Secret", name: "argocd-secret", namespace: controlNamespace };
    await kube.patch(ref, { type: "merge", body: { stringData } }, { signal });
    return {};
  };
}

/** Argo CD's common.ChangePasswordSSOTokenMaxAge. */
const freshMs = 300_000;

function checkFresh({ issuedAt = 0 }: Identity, nowMs: number): void {
  if (nowMs - issuedAt * 1000 <= freshMs) return;
  throw new CapstanError({
    code: "FAILED_PRECONDITION",
    what: "your login",
    problem: "is older than five minutes: log in again (capstan relogin), then change the password",
  });
}

/** Whoever stole a session may not guess at the password either. */
async function checkCurrent(context: Needs, given: unknown, { user, address }: Call): Promise<void> {
  const { settings, throttle, passwords } = context;
  const { passwordHash } = findAccount(settings.current, user.name);
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
