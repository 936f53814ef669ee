import { CapstanError } from "@capstan/model";
import { compare } from "bcryptjs";
import type { HandlerOf } from "../../call.ts";
import type { ApiContext } from "../context.ts";
import { accountsOf } from "./accounts.ts";
import type { LoginThrottle } from "./login-throttle.ts";
import { type Tokens, unauthenticated } from "./tokens.ts";

export interface LoginNeeds extends Pick<ApiContext, "settings"> {
  tokens: Tokens;
  throttle: LoginThrottle;
  countLogin(status: "success" | "failure"): void;
}

const maxAtOnce = 50;
const maxName = 32;
/** Compared for names that do not exist, so that they take as long as those that do. */
const nobodysHash = "$2b$10$CwTycUXWue0Thq9StjUM0uJ8i6xkS8bNfFJ5B0q0bWQ8j0n9qkz1e";
const refused = "invalid username or password";

/** A token for a local account (server/session/session.go Create). */
export function login(context: LoginNeeds): HandlerOf<"login"> {
  let running = 0;
  return async ({ username, password }) => {
    if (running >= maxAtOnce)
      throw new CapstanError({ code: "QUEUE_FULL", queue: "login", limit: maxAtOnce });
    running += 1;
    try {
      await checkPassword(context, { username, password });
    } finally {
      running -= 1;
    }
    const token = await context.tokens.issue(`${username}:login`, context.settings.current.general.sessionMs);
    return { token };
  };
}

async function checkPassword(
  { settings, throttle, countLogin }: LoginNeeds,
  { username, password }: { username: string; password: string },
): Promise<void> {
  if (
    typeof username !== "string" ||
    typeof password !== "string" ||
    !username ||
    !password ||
    username.length > maxName
  )
    throw unauthenticated(refused);
  const account = accountsOf(settings.current).find(({ name }) => name === username);
  const isRight = await compare(password, account?.passwordHash ?? nobodysHash).catch(() => false);
  const mayLogIn = account?.enabled === true && account.capabilities.includes("login");
  if (isRight && mayLogIn && account.passwordHash && !throttle.isBlocked(username)) {
    throttle.succeeded(username);
    countLogin("success");
    return;
  }
  if (!throttle.isBlocked(username)) throttle.failed(username);
  countLogin("failure");
  throw unauthenticated(refused);
}
