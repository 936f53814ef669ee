import { isRecord, parseBoolean, parseTime } from "@capstan/formats";
import type { Settings } from "@capstan/kube";

export type Capability = "login" | "apiKey";

/** As argocd-secret lists it; times in seconds since 1970 (util/settings/accounts.go Token). */
export interface AccountToken {
  readonly id: string;
  readonly iat: number;
  readonly exp?: number;
}

/** A local account of argocd-cm, with its part of argocd-secret (util/settings/accounts.go). */
export interface LocalAccount {
  readonly name: string;
  readonly enabled: boolean;
  readonly capabilities: readonly Capability[];
  readonly passwordHash: string | undefined;
  /** Tokens from before this time are void. */
  readonly passwordChangedMs: number | undefined;
  readonly tokens: readonly AccountToken[];
}

export function accountsOf({ general, secret }: Pick<Settings, "general" | "secret">): LocalAccount[] {
  const names = new Set(["admin"]);
  for (const key of Object.keys(general.raw)) {
    const name = /^accounts\.([^.]+)$/.exec(key)?.[1];
    if (name) names.add(name);
  }
  return [...names].sort().map((name) => readAccount(name, general, secret));
}

function readAccount(name: string, general: Settings["general"], secret: Settings["secret"]): LocalAccount {
  const isAdmin = name === "admin";
  const prefix = secretPrefix(name);
  const listed = (general.raw[`accounts.${name}`] ?? (isAdmin ? "login" : ""))
    .split(",")
    .map((one) => one.trim());
  // What cannot be read lets nobody in.
  const enabled =
    parseBoolean(general.raw[`accounts.${name}.enabled`]?.trim() || "true") === true &&
    (!isAdmin || general.adminEnabled);
  return {
    name,
    enabled,
    capabilities: (["login", "apiKey"] as const).filter((one) => listed.includes(one)),
    passwordHash: secret[`${prefix}.password`] || undefined,
    passwordChangedMs: parseTime(secret[`${prefix}.passwordMtime`]),
    tokens: readTokens(secret[`${prefix}.tokens`]),
  };
}

/** Of the account's keys in argocd-secret. */
export function secretPrefix(account: string): string {
  return account === "admin" ? "admin" : `accounts.${account}`;
}

export function readTokens(text: string | undefined): readonly AccountToken[] {
  if (!text) return [];
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter(isToken) : [];
  } catch {
    return [];
  }
}

function isToken(value: unknown): value is AccountToken {
  return isRecord(value) && typeof value.id === "string" && typeof value.iat === "number";
}
