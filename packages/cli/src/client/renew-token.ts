import type { Api } from "../api.ts";
import { ExitError } from "../command.ts";
import { withTokens } from "../config/change-config.ts";
import { readConfig, writeConfig } from "../config/config-file.ts";
import type { Renewal } from "../config/find-server.ts";
import { readClaims } from "../token-claims.ts";
import type { Fetch } from "./create-api.ts";
import { discoverProvider, redeemGrant, ssoClient } from "./sso-provider.ts";

interface Needs {
  /** Asks without a token. */
  readonly api: Api;
  /** As the server is trusted. */
  readonly fetch: Fetch;
  readonly signal: AbortSignal;
}

/** Whether a token has ended by its own words; one that says nothing of that has not. */
export function hasEnded(token: string, now: number): boolean {
  const { exp } = readClaims(token);
  return typeof exp === "number" && exp * 1000 <= now;
}

/**
 * A new token for one that has ended, kept in the configuration (pkg/apiclient refreshAuthToken). The refresh token
 * goes to nobody but whoever made the token of before, whatever the server names as its provider now.
 */
export async function renewToken(
  token: string,
  { path, user, refreshToken }: Renewal,
  { api, fetch, signal }: Needs,
): Promise<string> {
  const client = ssoClient(await api.call("getSettings", {}));
  const { iss } = readClaims(token);
  if (client.issuer !== iss)
    throw new ExitError(
      `the session has ended, and it was begun at ${String(iss)}, where the server logs nobody in any more: use capstan relogin`,
      20,
    );
  const provider = await discoverProvider(client.issuer, { fetch, signal });
  const grant = { grant_type: "refresh_token", refresh_token: refreshToken, client_id: client.clientId };
  const renewed = await redeemGrant(provider, grant, { fetch, signal }).catch((error: unknown) => {
    if (!(error instanceof ExitError)) throw error;
    throw new ExitError(
      `the session has ended, and was not renewed: ${error.message}; use capstan relogin`,
      20,
    );
  });
  const config = await readConfig(path);
  // A provider that gives no other lets this one go on (RFC 6749, 6).
  const kept = { user, token: renewed.token, refreshToken: renewed.refreshToken ?? refreshToken };
  if (config) await writeConfig(path, withTokens(config, kept));
  return renewed.token;
}
