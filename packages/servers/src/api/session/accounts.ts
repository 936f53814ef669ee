import { parseBoolean, parseTime } from "@capstan/formats";
import type { Settings } from "@capstan/kube";

export type Capability = "login" | "apiKey";

/** A local account of argocd-cm, with its part of argocd-secret (util/settings/accounts.go). */
export interface LocalAccount {
  readonly name: string;
  readonly enabled: boolean;
  readonly capabilities: readonly Capability[];
  readonly passwordHash: string | undefined;
  /** Tokens from before this time are void. */
  readonly passwordChangedMs: number | undefined;
  readonly tokens: readonly { id: string; iat: number; exp?: number }[];
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
  const prefix = isAdmin ? "admin" : `accounts.${name}`;
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

function readTokens(text: string | undefined): LocalAccount["tokens"] {
  if (!text) return [];
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter(isToken) : [];
  } catch {
    return [];
  }
}

function isToken(value: unknown): value is { id: string; iat: number; exp?: number } {
  return (
    typeof value === "object" &&
    value !== null &&
    "id" in value &&
    "iat" in value &&
    typeof value.iat === "number"
  );
}
