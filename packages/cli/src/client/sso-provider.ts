import { isRecord, withoutEndSlashes } from "@capstan/formats";
import type { OutOf, Routes } from "@capstan/wire";
import { ExitError } from "../command.ts";
import type { Fetch } from "./create-api.ts";
import { readBody } from "./read-body.ts";

/** Where and as whom the command line logs in. */
export interface SsoClient {
  readonly issuer: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly idTokenClaims: Readonly<Record<string, unknown>>;
}

export interface SsoTokens {
  readonly token: string;
  readonly refreshToken?: string | undefined;
}

interface Asking {
  readonly fetch: Fetch;
  readonly signal: AbortSignal;
}

const usualScopes = ["openid", "profile", "email", "groups"];
const maxBytes = 1024 * 1024;
const limitMs = 30_000;

/** As the server's settings say (pkg/apiclient OIDCConfig): its provider, or its Dex below its own address. */
export function ssoClient({ oidcConfig, dexConfig, url }: OutOf<Routes["getSettings"]>): SsoClient {
  if (oidcConfig) {
    const { issuer, clientID, cliClientID, scopes = [], idTokenClaims = {} } = oidcConfig;
    const asked = scopes.length > 0 ? scopes : usualScopes;
    return { issuer, clientId: cliClientID || clientID, scopes: asked, idTokenClaims };
  }
  if ((dexConfig?.connectors ?? []).length === 0)
    throw new ExitError("the server has no single sign-on: log in with --username", 20);
  const issuer = `${withoutEndSlashes(url)}/api/dex`;
  return { issuer, clientId: "argo-cd-cli", scopes: [...usualScopes, "federated:id"], idTokenClaims: {} };
}

/** What a provider says of itself (OpenID Connect Discovery 1.0). */
export interface SsoProvider {
  readonly authorization: string;
  readonly token: string;
  readonly offersRefresh: boolean;
}

export async function discoverProvider(issuer: string, asking: Asking): Promise<SsoProvider> {
  const url = `${withoutEndSlashes(issuer)}/.well-known/openid-configuration`;
  const { said } = await ask(url, undefined, asking);
  if (said.issuer !== issuer)
    throw new ExitError(`${url} calls itself ${JSON.stringify(said.issuer)}, not "${issuer}"`, 20);
  const address = (key: string): string => {
    const value = said[key];
    if (typeof value === "string" && /^https?:\/\//.test(value) && URL.canParse(value)) return value;
    throw new ExitError(`${url} names no ${key}`, 20);
  };
  const scopes = said.scopes_supported;
  return {
    authorization: address("authorization_endpoint"),
    token: address("token_endpoint"),
    offersRefresh: !Array.isArray(scopes) || scopes.includes("offline_access"),
  };
}

/** Tokens for a code, or for a refresh token. */
export async function redeemGrant(
  { token: url }: SsoProvider,
  grant: Readonly<Record<string, string>>,
  asking: Asking,
): Promise<SsoTokens> {
  const { ok, status, said } = await ask(url, new URLSearchParams(grant), asking);
  if (!ok) {
    const code =
      typeof said.error === "string" ? said.error.replace(/[^\w-]/g, "").slice(0, 50) : "no reason";
    throw new ExitError(`the identity provider refused (${status}, ${code})`, 20);
  }
  const { id_token: token, refresh_token: refreshToken } = said;
  if (typeof token !== "string") throw new ExitError("the identity provider gave no id_token", 20);
  return { token, refreshToken: typeof refreshToken === "string" ? refreshToken : undefined };
}

/** Whoever it leads on to is not asked; what it says is read up to a size. */
async function ask(url: string, form: URLSearchParams | undefined, { fetch, signal }: Asking) {
  const response = await fetch(url, {
    method: form ? "POST" : "GET",
    headers: {
      accept: "application/json",
      ...(form ? { "content-type": "application/x-www-form-urlencoded" } : {}),
    },
    redirect: "error",
    signal: AbortSignal.any([signal, AbortSignal.timeout(limitMs)]),
    ...(form ? { body: form.toString() } : {}),
  });
  const text = await readBody(response, { from: new URL(url).host, maxBytes });
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  if (isRecord(said)) return { ok: response.ok, status: response.status, said };
  throw new ExitError(`${new URL(url).host} answered ${response.status}, and not with a JSON object`, 20);
}
