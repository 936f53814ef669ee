import { createHash, randomBytes } from "node:crypto";
import type { Api } from "../../api.ts";
import type { Fetch } from "../../client/create-api.ts";
import { discoverProvider, redeemGrant, type SsoTokens, ssoClient } from "../../client/sso-provider.ts";
import { ExitError, type FlagValues } from "../../command.ts";
import type { Io } from "../../io.ts";
import { readClaims } from "../../token-claims.ts";
import { listenForCallback } from "./local-callback.ts";
import { openBrowser } from "./open-browser.ts";

export const ssoFlags = {
  "sso-port": {
    kind: "integer",
    help: "Port of this machine to which the browser comes back",
    value: "PORT",
    range: [1, 65_535],
    byDefault: "8085",
  },
  callback: {
    kind: "string",
    help: "Scheme, host and port to which it comes back, where something passes it on to this machine",
    value: "URL",
  },
  "sso-launch-browser": {
    kind: "boolean",
    help: "Open the browser; with =false the address is printed",
    byDefault: "true",
  },
} as const;

const usualPort = 8085;
const patienceMs = 600_000;
const random = (): string => randomBytes(32).toString("base64url");

interface Needs {
  readonly api: Api;
  /** As the server is trusted. */
  readonly fetch: Fetch;
  readonly flags: FlagValues<typeof ssoFlags>;
}

/** Logs in by the provider of the server's settings, in a browser (cmd/argocd/commands/login.go oauth2Login). */
export async function ssoLogin(io: Io, { api, fetch, flags }: Needs): Promise<SsoTokens> {
  const client = ssoClient(await api.call("getSettings", {}));
  const signal = AbortSignal.any([io.signal, AbortSignal.timeout(patienceMs)]);
  const provider = await discoverProvider(client.issuer, { fetch, signal });
  const port = flags["sso-port"] ?? usualPort;
  await using listener = await listenForCallback(port);
  const redirectUri = `${flags.callback || `http://localhost:${port}`}/auth/callback`;
  const [state, nonce, verifier] = [random(), random(), random()];
  const more = provider.offersRefresh && !client.scopes.includes("offline_access") ? ["offline_access"] : [];
  const query: Record<string, string> = {
    ...{ response_type: "code", client_id: client.clientId, redirect_uri: redirectUri, state, nonce },
    scope: [...client.scopes, ...more].join(" "),
    access_type: "offline",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    ...(Object.keys(client.idTokenClaims).length > 0
      ? { claims: JSON.stringify({ id_token: client.idTokenClaims }) }
      : {}),
  };
  const url = new URL(provider.authorization);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const arrives = listener.code(state, signal);
  arrives.catch(() => undefined);
  io.out(`Performing authorization_code flow login: ${url.href}\n`);
  await show(io, url.href, flags["sso-launch-browser"] ?? true);
  const grant = {
    ...{ grant_type: "authorization_code", code: await arrives, redirect_uri: redirectUri },
    ...{ client_id: client.clientId, code_verifier: verifier },
  };
  const tokens = await redeemGrant(provider, grant, { fetch, signal });
  if (readClaims(tokens.token).nonce !== nonce)
    throw new ExitError("the identity provider answered another login", 20);
  io.out("Authentication successful\n");
  return tokens;
}

async function show(io: Io, url: string, launches: boolean): Promise<void> {
  if (launches) {
    io.out("Opening system default browser for authentication\n");
    if (await openBrowser(url)) return;
  }
  io.out(`To authenticate, copy-and-paste the following URL into your preferred browser: ${url}\n`);
}
