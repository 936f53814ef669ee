import { createHash, randomBytes } from "node:crypto";
import type { OidcClient, OidcUser } from "./oidc-provider.ts";
import type { OidcTokens } from "./oidc-tokens.ts";

export type Form = URLSearchParams;

export interface Answer {
  status: number;
  location?: string;
  body?: object;
}

/** An error code of RFC 6749, section 5.2, or RFC 8628, section 3.5. */
export class OidcError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message = code, status = code === "invalid_client" ? 401 : 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

interface Needs {
  clients: readonly OidcClient[];
  tokens: OidcTokens;
  user: OidcUser;
}

/** What a client was promised, until it comes for its tokens. */
interface Grant {
  client: OidcClient;
  scopes: readonly string[];
  user: OidcUser;
  nonce?: string | undefined;
}

interface CodeGrant extends Grant {
  redirectUri: string;
  challenge: string | undefined;
}

interface DeviceGrant extends Omit<Grant, "user"> {
  userCode: string;
  /** Who agreed: nobody yet, or "denied". */
  user: OidcUser | "denied" | undefined;
}

export class OidcGrants {
  readonly #needs: Needs;
  #user: OidcUser | undefined;
  readonly #codes = new Map<string, CodeGrant>();
  readonly #devices = new Map<string, DeviceGrant>();
  readonly #refreshTokens = new Map<string, Grant>();

  constructor(needs: Needs) {
    this.#needs = needs;
    this.#user = needs.user;
  }

  logIn(user: OidcUser | undefined): void {
    this.#user = user;
  }

  /** Who is logged in. */
  get user(): OidcUser | undefined {
    return this.#user;
  }

  keys(): object {
    return this.#needs.tokens.published();
  }

  /** Where the browser goes next: back to the client, with a code or with the person's refusal. */
  authorize(query: Form): string {
    const client = this.#needs.clients.find(({ id }) => id === query.get("client_id"));
    const redirectUri = query.get("redirect_uri") ?? "";
    if (!client) throw new OidcError("invalid_request", "there is no such client");
    if (!client.redirectUris.includes(redirectUri))
      throw new OidcError(
        "invalid_request",
        `redirect_uri ${redirectUri} is not registered for ${client.id}`,
      );
    const back = new URL(redirectUri);
    const state = query.get("state");
    if (state !== null) back.searchParams.set("state", state);
    const refused = this.#refusalOf(client, query);
    if (refused !== undefined || this.#user === undefined) {
      back.searchParams.set("error", refused ?? "access_denied");
      return back.href;
    }
    const code = secret();
    this.#codes.set(code, {
      client,
      redirectUri,
      user: this.#user,
      scopes: scopesOf(query),
      nonce: query.get("nonce") ?? undefined,
      challenge: query.get("code_challenge") ?? undefined,
    });
    back.searchParams.set("code", code);
    return back.href;
  }

  #refusalOf(client: OidcClient, query: Form): string | undefined {
    if (query.get("response_type") !== "code") return "unsupported_response_type";
    if (!scopesOf(query).includes("openid")) return "invalid_scope";
    const challenge = query.get("code_challenge");
    if (challenge === null) return client.secret === undefined ? "invalid_request" : undefined;
    return query.get("code_challenge_method") === "S256" ? undefined : "invalid_request";
  }

  async token(form: Form, authorization: string, issuer: string): Promise<object> {
    const client = this.#authenticate(form, authorization);
    const grant = this.#grantOf(form);
    if (grant.client !== client) throw new OidcError("invalid_grant", "it was given to another client");
    const request = { ...grant, issuer, audience: client.id };
    const { tokens } = this.#needs;
    const refreshToken = grant.scopes.includes("offline_access") ? secret() : undefined;
    if (refreshToken) this.#refreshTokens.set(refreshToken, { ...grant, nonce: undefined });
    return {
      token_type: "Bearer",
      expires_in: tokens.lifeSeconds,
      scope: grant.scopes.join(" "),
      access_token: await tokens.accessToken(request),
      id_token: await tokens.idToken(request),
      ...(refreshToken && { refresh_token: refreshToken }),
    };
  }

  #grantOf(form: Form): Grant {
    switch (form.get("grant_type")) {
      case "authorization_code":
        return this.#redeemCode(form);
      case "refresh_token":
        return take(this.#refreshTokens, form.get("refresh_token"));
      case "urn:ietf:params:oauth:grant-type:device_code":
        return this.#redeemDevice(form.get("device_code") ?? "");
      default:
        throw new OidcError("unsupported_grant_type");
    }
  }

  #redeemCode(form: Form): Grant {
    const grant = take(this.#codes, form.get("code"));
    if (grant.redirectUri !== form.get("redirect_uri"))
      throw new OidcError("invalid_grant", "redirect_uri differs");
    const verifier = form.get("code_verifier") ?? "";
    const digest = createHash("sha256").update(verifier).digest("base64url");
    if (grant.challenge !== undefined && grant.challenge !== digest)
      throw new OidcError("invalid_grant", "code_verifier does not match the challenge");
    return grant;
  }

  startDevice(form: Form, authorization: string, issuer: string): object {
    const client = this.#authenticate(form, authorization);
    const deviceCode = secret();
    const userCode = randomBytes(4).toString("hex").toUpperCase();
    this.#devices.set(deviceCode, { client, userCode, scopes: scopesOf(form), user: undefined });
    return {
      device_code: deviceCode,
      user_code: userCode,
      verification_uri: `${issuer}/activate`,
      expires_in: 600,
      interval: 1,
    };
  }

  approveDevice(userCode: string): void {
    const grant = [...this.#devices.values()].find((one) => one.userCode === userCode);
    if (!grant) throw new Error(`no device shows the code ${userCode}`);
    grant.user = this.#user ?? "denied";
  }

  #redeemDevice(deviceCode: string): Grant {
    const { user, ...grant } = this.#devices.get(deviceCode) ?? { user: "denied" };
    if (user === undefined) throw new OidcError("authorization_pending");
    this.#devices.delete(deviceCode);
    if (user === "denied" || !("client" in grant)) throw new OidcError("access_denied");
    return { ...grant, user };
  }

  async userInfo(authorization: string, issuer: string): Promise<object> {
    const [scheme, token = ""] = authorization.split(" ");
    const claims =
      scheme === "Bearer"
        ? await this.#needs.tokens.readAccessToken(token, issuer).catch(() => undefined)
        : undefined;
    if (!claims) throw new OidcError("invalid_token", "the access token does not hold", 401);
    return claims;
  }

  logOut(query: Form): string {
    const to = query.get("post_logout_redirect_uri");
    if (to === null) throw new OidcError("invalid_request", "post_logout_redirect_uri is missing");
    this.#user = undefined;
    return to;
  }

  /** client_secret_basic, client_secret_post, or none for a public client. */
  #authenticate(form: Form, authorization: string): OidcClient {
    const [basicId, basicSecret] = readBasic(authorization);
    const id = basicId ?? form.get("client_id");
    const given = basicSecret ?? form.get("client_secret") ?? undefined;
    const client = this.#needs.clients.find((one) => one.id === id);
    if (!client || client.secret !== given)
      throw new OidcError("invalid_client", "unknown client or wrong secret");
    return client;
  }
}

/** RFC 6749, section 2.3.1: both halves are form-encoded. */
function readBasic(authorization: string): readonly string[] {
  const [scheme, value = ""] = authorization.split(" ");
  if (scheme !== "Basic") return [];
  const decoded = Buffer.from(value, "base64").toString();
  return decoded.split(":").map((half) => decodeURIComponent(half.replaceAll("+", " ")));
}

const secret = (): string => randomBytes(24).toString("base64url");
const scopesOf = (form: Form): readonly string[] => (form.get("scope") ?? "").split(" ").filter(Boolean);

/** Codes and refresh tokens hold once. */
function take<Kept>(kept: Map<string, Kept>, key: string | null): Kept {
  const found = kept.get(key ?? "");
  if (found === undefined) throw new OidcError("invalid_grant", "unknown, or used before");
  kept.delete(key ?? "");
  return found;
}
