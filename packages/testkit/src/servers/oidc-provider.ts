import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { type LoopbackOptions, type LoopbackServer, startLoopbackServer } from "./loopback-server.ts";
import { type Answer, type Form, OidcError, OidcGrants } from "./oidc-grants.ts";
import { type ForgedTokens, OidcTokens } from "./oidc-tokens.ts";

/** Somebody who can log in: the claims of the ID token beside the standard ones. */
export interface OidcUser {
  readonly sub: string;
  readonly email?: string;
  readonly name?: string;
  readonly groups?: readonly string[];
}

export interface OidcClient {
  readonly id: string;
  /** Without one the client is public, and has to use PKCE. */
  readonly secret?: string;
  readonly redirectUris: readonly string[];
}

/**
 * An OpenID provider in which the person in front is always logged in and agrees to everything: discovery, keys,
 * authorization code with PKCE (RFC 7636), device code (RFC 8628), refresh, userinfo and logout.
 */
export interface OidcProvider extends LoopbackServer {
  /** Its url is the issuer. Who logs in from now on; undefined: the person says no. */
  logIn(user: OidcUser | undefined): void;
  /** The person types the code of a device, and agrees, as the user that is logged in. */
  approveDevice(userCode: string): void;
  /** New keys; the old ones are no longer published. */
  rotateKeys(): Promise<void>;
  /** ID tokens are made wrongly from now on; none: rightly again. */
  forgeTokens(forged?: ForgedTokens): void;
  /** Requests of this path get another answer from now on; undefined: their own again. */
  misanswer(path: string, answer: Misanswer | undefined): void;
  /** An ID token for a client, without a login. */
  makeIdToken(clientId: string): Promise<string>;
  /** How often a path was asked for. */
  countOf(path: string): number;
}

export interface Misanswer {
  readonly status: number;
  readonly body: string;
  readonly location?: string;
}

export interface OidcProviderOptions extends LoopbackOptions {
  readonly clients: readonly OidcClient[];
  readonly user: OidcUser;
  /** Where it is seen, as behind a proxy that passes on its path; default its own address. */
  readonly issuer?: string;
  /** Life of access and ID tokens; an hour. */
  readonly tokenLifeSeconds?: number;
}

const mostFormBytes = 65_536;
const allScopes = ["openid", "profile", "email", "groups", "offline_access"];

export async function startOidcProvider(options: OidcProviderOptions): Promise<OidcProvider> {
  const { tokenLifeSeconds = 3_600, clients, user } = options;
  const tokens = await OidcTokens.create(tokenLifeSeconds);
  const grants = new OidcGrants({ clients, tokens, user });
  const wrong = new Map<string, Misanswer>();
  const counts = new Map<string, number>();
  const server = await startLoopbackServer((request, response) => {
    const path = new URL(request.url ?? "/", server.url).pathname;
    counts.set(path, (counts.get(path) ?? 0) + 1);
    const misanswer = wrong.get(path);
    if (misanswer) {
      const { status, body, location } = misanswer;
      response.writeHead(status, { "content-type": "application/json", ...(location && { location }) });
      return void response.end(body);
    }
    respond(request, { grants, issuer: options.issuer ?? server.url }).then(
      (answer) => send(response, answer),
      (error: unknown) => send(response, refusal(error)),
    );
  }, options);
  return {
    ...server,
    logIn: (next) => grants.logIn(next),
    approveDevice: (userCode) => grants.approveDevice(userCode),
    rotateKeys: () => tokens.rotate(),
    forgeTokens: (forged = {}) => tokens.forge(forged),
    misanswer(path, answer) {
      if (answer) wrong.set(path, answer);
      else wrong.delete(path);
    },
    makeIdToken: (audience) =>
      tokens.idToken({ issuer: server.url, audience, user: grants.user ?? user, scopes: allScopes }),
    countOf: (path) => counts.get(path) ?? 0,
  };
}

interface Needs {
  grants: OidcGrants;
  issuer: string;
}

async function respond(request: IncomingMessage, { grants, issuer }: Needs): Promise<Answer> {
  const { pathname: path, searchParams } = new URL(request.url ?? "/", issuer);
  const above = new URL(issuer).pathname.replace(/\/$/, "");
  const pathname = path.startsWith(`${above}/`) ? path.slice(above.length) : path;
  const { authorization = "" } = request.headers;
  switch (`${request.method} ${pathname}`) {
    case "GET /.well-known/openid-configuration":
      return { status: 200, body: discovery(issuer) };
    case "GET /keys":
      return { status: 200, body: grants.keys() };
    case "GET /authorize":
      return { status: 302, location: grants.authorize(searchParams) };
    case "POST /token":
      return { status: 200, body: await grants.token(await readForm(request), authorization, issuer) };
    case "POST /device":
      return { status: 200, body: grants.startDevice(await readForm(request), authorization, issuer) };
    case "GET /userinfo":
      return { status: 200, body: await grants.userInfo(authorization, issuer) };
    case "GET /logout":
      return { status: 302, location: grants.logOut(searchParams) };
    default:
      return { status: 404, body: { error: "not_found" } };
  }
}

/** OpenID Connect Discovery 1.0, section 3. */
const discovery = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  device_authorization_endpoint: `${issuer}/device`,
  userinfo_endpoint: `${issuer}/userinfo`,
  end_session_endpoint: `${issuer}/logout`,
  jwks_uri: `${issuer}/keys`,
  response_types_supported: ["code"],
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: ["RS256"],
  scopes_supported: allScopes,
  claims_supported: ["sub", "email", "email_verified", "name", "groups"],
  code_challenge_methods_supported: ["S256"],
  grant_types_supported: [
    "authorization_code",
    "refresh_token",
    "urn:ietf:params:oauth:grant-type:device_code",
  ],
  token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
});

async function readForm(request: IncomingMessage): Promise<Form> {
  if (Number(request.headers["content-length"] ?? Number.POSITIVE_INFINITY) > mostFormBytes)
    throw new OidcError("invalid_request");
  return new URLSearchParams(await text(request));
}

function refusal(error: unknown): Answer {
  if (!(error instanceof OidcError))
    return { status: 500, body: { error: "server_error", error_description: `${error}` } };
  return { status: error.status, body: { error: error.code, error_description: error.message } };
}

function send(response: ServerResponse, { status, location, body }: Answer): void {
  if (location !== undefined) response.writeHead(status, { location }).end();
  else
    response
      .writeHead(status, { "content-type": "application/json", "cache-control": "no-store" })
      .end(JSON.stringify(body));
}
