import type { LocalAccount } from "../session/accounts.ts";

/** Newest token first, as Argo CD lists them (server/account toAPIAccount). */
export function showAccount({ name, enabled, capabilities, tokens }: LocalAccount) {
  return {
    name,
    enabled,
    capabilities: [...capabilities],
    tokens: [...tokens]
      .sort((left, right) => right.iat - left.iat)
      .map(({ id, iat, exp }) => ({ id, issuedAt: iat, expiresAt: exp ?? 0 })),
  };
}
