import { CapstanError, isCapstanError } from "@capstan/model";
import type { Call, HandlerOf } from "../../call.ts";
import { ownIssuer } from "../access/own-issuer.ts";
import type { ApiContext } from "../context.ts";
import { accountsOf, type LocalAccount } from "./accounts.ts";
import type { Throttle } from "./kept-throttle.ts";
import type { LoginTry } from "./login-throttle.ts";
import type { Passwords } from "./passwords.ts";
import type { Tokens } from "./tokens.ts";

export interface LoginNeeds extends Pick<ApiContext, "settings"> {
  tokens: Tokens;
  throttle: Throttle;
  passwords: Passwords;
  countLogin(status: "success" | "failure"): void;
  /** Says why a login failed: in the log alone, since strangers are told the same whatever it was. */
  logFailure(facts: { account: string; address: string; reason: string }): void;
}

const maxName = 32;
const maxPassword = 1024;

/** A token for a local account (server/session/session.go Create). */
export function login(context: LoginNeeds): HandlerOf<"login"> {
  const { tokens, settings, countLogin, logFailure } = context;
  return async (given, call) => {
    const attempt = readTry(given, call);
    const failed = (reason: string): CapstanError => {
      countLogin("failure");
      logFailure({ account: attempt.account.slice(0, maxName), address: call.address, reason });
      return new CapstanError({ code: "LOGIN_REFUSED" });
    };
    const { password } = given;
    if (
      !isName(attempt.account) ||
      typeof password !== "string" ||
      !password ||
      password.length > maxPassword
    )
      throw failed("a name or a password that no account has");
    const checked = await checkPassword(attempt, password, context).catch((error: unknown) => {
      throw isCapstanError(error, "QUEUE_FULL") ? fullQueue(error, failed) : error;
    });
    if ("problem" in checked) throw failed(checked.problem);
    countLogin("success");
    const expiresInMs = settings.current.general.sessionMs;
    const grant = { expiresInMs, page: call.page, passwordHash: checked.hash };
    return { token: (await tokens.issue(`${attempt.account}:login`, grant)).token };
  };
}

function readTry({ username }: { username: unknown }, { user, address }: Call): LoginTry {
  const account = typeof username === "string" ? username : "";
  const isOwn = user.issuer === ownIssuer && user.name === account && account !== "";
  const tokenId = isOwn ? user.tokenId : undefined;
  return { account, address, tokenId };
}

const isName = (account: string): boolean => account !== "" && account.length <= maxName;

function fullQueue(error: CapstanError, failed: (reason: string) => unknown): CapstanError {
  failed("too many logins at once");
  return error;
}

/** Why not, or the hash that the password has. A refusal of the throttle costs no comparison. */
async function checkPassword(
  attempt: LoginTry,
  password: string,
  { settings, throttle, passwords }: LoginNeeds,
): Promise<{ problem: string } | { hash: string }> {
  if (await throttle.isBlocked(attempt)) return { problem: "too many failures: refused for five minutes" };
  const accounts = accountsOf(settings.current);
  const account = accounts.find(({ name }) => name === attempt.account);
  const hash = account?.passwordHash ?? nobodysHash(accounts);
  const isRight = await passwords.matches(password, hash, attempt.address);
  const problem = problemOf(account, isRight);
  if (problem === undefined) throttle.succeeded(attempt);
  else await throttle.failed(attempt);
  return problem === undefined ? { hash } : { problem };
}

function problemOf(account: LocalAccount | undefined, isRight: boolean): string | undefined {
  if (account === undefined) return "there is no such account";
  if (!account.passwordHash) return "the account has no password";
  if (!isRight) return "wrong password";
  if (!account.enabled) return "the account is disabled";
  return account.capabilities.includes("login") ? undefined : "the account may not log in";
}

/** Compared for names that do not exist: it takes as long as the dearest of those that do. */
function nobodysHash(accounts: readonly LocalAccount[]): string {
  const costs = accounts.map(({ passwordHash }) => /^\$2[aby]\$(\d\d)\$/.exec(passwordHash ?? "")?.[1] ?? "");
  return `$2b$${costs.sort().at(-1) || "10"}$CwTycUXWue0Thq9StjUM0uJ8i6xkS8bNfFJ5B0q0bWQ8j0n9qkz1e`;
}
