import { integer, list, object, optional, string } from "@capstan/model/shapes";
import type { Empty } from "./answers.ts";
import { bodyLimits, openRoute, route, sessionRoute } from "./route.ts";

export interface Account {
  name: string;
  enabled: boolean;
  capabilities: string[];
  tokens: { id: string; issuedAt: number; expiresAt: number }[];
}

export interface UserInfo {
  loggedIn: boolean;
  username?: string;
  iss?: string;
  groups?: string[];
  /** Ours: when the session ends, in seconds since the epoch; absent where it does not while its owner is there. */
  expiresAt?: number;
}

/** Whose rights can be asked for: a local account or role, and a user or a group of an identity provider. */
export const subjectKinds = ["account", "role", "user", "group"] as const;
export type SubjectKind = (typeof subjectKinds)[number];

const passwordRequestSchema = object({
  newPassword: string(),
  currentPassword: string(),
  name: optional(string()),
});

/** In the words of policies. `update/…` and `delete/…` of objects are answered as the calls on them decide. */
const rightSchema = object({ resource: string(), action: string(), object: string() });

/** `expiresIn` in seconds; 0 or none: it does not end by itself. Without an id a random one is taken. */
export const newTokenShape = { expiresIn: optional(integer()), id: optional(string()) };

export const accountRoutes = {
  listAccounts: route("GET", "/api/v1/account", {})
    .rpc("account.AccountService/ListAccounts")
    .answers<{ items: Account[] }>(),
  canI: route("GET", "/api/v1/account/can-i/{resource}/{action}/{subresource}", {})
    .rpc("account.AccountService/CanI")
    .answers<{
      value: "yes" | "no";
    }>(),
  /** The same of many rights at once, answered in their order. Ours alone. */
  askRights: route("POST", "/api/v1/account/can-i", {})
    .takesAll(object({ rights: optional(list(rightSchema)) }), bodyLimits.object)
    .answers<{ allowed: boolean[] }>(),
  /** What somebody else may; for whoever may see that account. Ours alone. */
  askRightsOf: route("POST", "/api/v1/account/rights", {})
    .takesAll(
      object({ kind: string(), subject: string(), rights: optional(list(rightSchema)) }),
      bodyLimits.object,
    )
    .answers<{ allowed: boolean[] }>(),
  updatePassword: route("PUT", "/api/v1/account/password", {})
    .rpc("account.AccountService/UpdatePassword")
    .takesAll(passwordRequestSchema, bodyLimits.small)
    .answers<Empty>(),
  getAccount: route("GET", "/api/v1/account/{name}", {})
    .rpc("account.AccountService/GetAccount")
    .answers<Account>(),
  createAccountToken: route("POST", "/api/v1/account/{name}/token", {})
    .rpc("account.AccountService/CreateToken")
    .takesAll(object(newTokenShape), bodyLimits.small)
    .answers<{ token: string }>(),
  deleteAccountToken: route("DELETE", "/api/v1/account/{name}/token/{id}", {})
    .rpc("account.AccountService/DeleteToken")
    .answers<Empty>(),
  login: sessionRoute("POST", "/api/v1/session", "begins")
    .rpc("session.SessionService/Create")
    .takesAll(object({ username: string(), password: string() }), bodyLimits.small)
    .answers<{ token: string }>(),
  logout: sessionRoute("DELETE", "/api/v1/session", "ends")
    .rpc("session.SessionService/Delete")
    .answers<Empty>(),
  getUserInfo: openRoute("GET", "/api/v1/session/userinfo", {})
    .rpc("session.SessionService/GetUserInfo")
    .answers<UserInfo>(),
} as const;
