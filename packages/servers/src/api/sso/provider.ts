import { readFile } from "node:fs/promises";
import type { Clock } from "@capstan/flow";
import type { OidcSettings } from "@capstan/kube";
import { CapstanError } from "@capstan/model";
import { errors, type JWTPayload, jwtVerify } from "jose";
import { unauthenticated } from "../session/check-subject.ts";
import { type Discovery, discover } from "./discovery.ts";
import { ProviderKeys } from "./provider-keys.ts";
import { type AskProvider, providerAsker, readObject, unavailable } from "./provider-request.ts";

/** What a provider gives for a code or a refresh token. */
export interface ProviderTokens {
  readonly idToken: string;
  readonly accessToken: string | undefined;
  readonly refreshToken: string | undefined;
}

interface Known {
  readonly discovery: Discovery;
  readonly keys: ProviderKeys;
}

/** A provider that does not answer is asked again only after this. */
const pauseMs = 5_000;
const defaultScopes = ["openid", "profile", "email", "groups"];

/** One OpenID provider, as `oidc.config` says. */
export class Provider {
  readonly settings: OidcSettings;
  readonly #ask: AskProvider;
  readonly #clock: Clock;
  #known: Promise<Known> | undefined;
  #failed: { error: unknown; atMs: number } | undefined;

  constructor(settings: OidcSettings, clock: Clock) {
    this.settings = settings;
    this.#ask = providerAsker(settings);
    this.#clock = clock;
  }

  /** Where the browser goes to log in. */
  async authorizationUrl(login: {
    redirectUri: string;
    state: string;
    nonce: string;
    challenge: string;
  }): Promise<string> {
    const { discovery } = await this.#discovered();
    const { settings } = this;
    if (!discovery.hasCodes)
      throw unavailable(settings.issuer, "it has no authorization codes: the implicit flow is not supported");
    const url = new URL(discovery.authorization);
    const { scopes, idTokenClaims, domainHint } = settings;
    const query: Record<string, string> = {
      response_type: "code",
      client_id: settings.clientId,
      redirect_uri: login.redirectUri,
      scope: (scopes.length > 0 ? scopes : defaultScopes).join(" "),
      state: login.state,
      nonce: login.nonce,
      ...(Object.keys(idTokenClaims).length > 0
        ? { claims: JSON.stringify({ id_token: idTokenClaims }) }
        : {}),
      ...(domainHint === undefined ? {} : { domain_hint: domainHint }),
      ...(settings.needsPkce || discovery.hasPkce
        ? { code_challenge: login.challenge, code_challenge_method: "S256" }
        : {}),
    };
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url.href;
  }

  redeem(
    { code, redirectUri, verifier }: { code: string; redirectUri: string; verifier: string },
    signal: AbortSignal,
  ): Promise<ProviderTokens> {
    const grant = {
      grant_type: "authorization_code",
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    };
    return this.#tokens(grant, signal);
  }

  refresh(refreshToken: string, signal: AbortSignal): Promise<ProviderTokens> {
    return this.#tokens({ grant_type: "refresh_token", refresh_token: refreshToken }, signal);
  }

  /** Throws UNAUTHENTICATED; the claims of one that is fine but for its age where `takesExpired`. */
  async verify(token: string, { takesExpired = false } = {}): Promise<JWTPayload> {
    const { discovery, keys } = await this.#discovered();
    const { audiences, takesAbsentAudience } = this.settings;
    const payload = await jwtVerify(token, keys.find, {
      issuer: discovery.issuer,
      algorithms: [...discovery.algorithms],
      currentDate: new Date(this.#clock.now()),
      requiredClaims: ["sub", "exp"],
    }).then(
      (verified) => verified.payload,
      (error: unknown) => {
        // jose looks at the time last, when signature and issuer have been found right.
        if (takesExpired && error instanceof errors.JWTExpired && error.claim === "exp") return error.payload;
        if (error instanceof CapstanError) throw error;
        throw unauthenticated(
          "the identity provider's token is not valid, or no longer: log in again",
          error,
        );
      },
    );
    checkAudience(payload, { audiences, takesAbsentAudience });
    return payload;
  }

  /** The answer of user info as claims; undefined where the access token no longer counts. */
  async userInfo(url: string, accessToken: string, signal: AbortSignal): Promise<JWTPayload | undefined> {
    const headers = { authorization: `Bearer ${accessToken}` };
    const answer = await this.#ask({ method: "GET", url, headers, signal });
    if (answer.status === 401 || answer.status === 403) return undefined;
    if (answer.status !== 200) throw unavailable(url, `it answered ${answer.status} instead of user info`);
    if (!answer.type.startsWith("application/jwt")) return readObject(answer, url);
    return this.verify(answer.text.trim());
  }

  async #tokens(grant: Record<string, string>, signal: AbortSignal): Promise<ProviderTokens> {
    const { discovery } = await this.#discovered();
    const { form, headers } = await this.#clientProof(discovery);
    for (const [name, value] of Object.entries(grant)) form.set(name, value);
    const url = discovery.token;
    const answer = await this.#ask({ method: "POST", url, headers, form, signal });
    const said = readObject(answer, url);
    if (answer.status !== 200) {
      // A code of RFC 6749, 5.2; what more it says may hold anything.
      const code =
        typeof said.error === "string" ? said.error.replace(/[^\w-]/g, "").slice(0, 50) : "no reason";
      throw unauthenticated(`the identity provider refused (${answer.status}, ${code}): log in again`);
    }
    const text = (key: string): string | undefined => {
      const value = said[key];
      return typeof value === "string" && value !== "" ? value : undefined;
    };
    const idToken = text("id_token");
    if (idToken === undefined) throw unavailable(url, "it gave no id_token: requestedScopes need openid");
    return { idToken, accessToken: text("access_token"), refreshToken: text("refresh_token") };
  }

  async #clientProof({
    secretIn,
  }: Discovery): Promise<{ form: URLSearchParams; headers: Record<string, string> }> {
    const { clientId, clientSecret, usesWorkloadIdentity } = this.settings;
    if (usesWorkloadIdentity) {
      const type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
      const assertion = {
        client_id: clientId,
        client_assertion_type: type,
        client_assertion: await azureToken(),
      };
      return { form: new URLSearchParams(assertion), headers: {} };
    }
    if (clientSecret === undefined)
      return { form: new URLSearchParams({ client_id: clientId }), headers: {} };
    if (secretIn === "form")
      return { form: new URLSearchParams({ client_id: clientId, client_secret: clientSecret }), headers: {} };
    // RFC 6749, 2.3.1: both halves are form-encoded.
    const pair = [clientId, clientSecret].map((one) => new URLSearchParams([["", one]]).toString().slice(1));
    const authorization = `Basic ${Buffer.from(pair.join(":")).toString("base64")}`;
    return { form: new URLSearchParams(), headers: { authorization } };
  }

  async #discovered(): Promise<Known> {
    const failed = this.#failed;
    if (failed && this.#clock.now() - failed.atMs < pauseMs) throw failed.error;
    this.#known ??= this.#discover();
    try {
      return await this.#known;
    } catch (error) {
      this.#known = undefined;
      this.#failed = { error, atMs: this.#clock.now() };
      throw error;
    }
  }

  async #discover(): Promise<Known> {
    const signal = AbortSignal.timeout(2 * pauseMs);
    const discovery = await discover(this.#ask, this.settings.issuer, signal);
    const keys = new ProviderKeys({ ask: this.#ask, url: discovery.keys, clock: this.#clock });
    return { discovery, keys };
  }
}

/** util/oidc/provider.go Verify: no audience at all is another thing than a wrong one. */
function checkAudience(
  { aud }: JWTPayload,
  { audiences, takesAbsentAudience }: Pick<OidcSettings, "audiences" | "takesAbsentAudience">,
): void {
  const named = aud === undefined ? [] : [aud].flat();
  if (named.length === 0 && takesAbsentAudience) return;
  if (named.some((one) => audiences.includes(one))) return;
  throw unauthenticated("the identity provider's token was made for another client");
}

/** Azure's webhook mounts it, and Kubernetes renews it. */
async function azureToken(): Promise<string> {
  const path = process.env.AZURE_FEDERATED_TOKEN_FILE;
  const text = path ? await readFile(path, "utf8").catch(() => undefined) : undefined;
  if (text) return text.trim();
  const problem =
    "AZURE_FEDERATED_TOKEN_FILE names no file that can be read: azure.useWorkloadIdentity needs it";
  throw new CapstanError({ code: "UNAVAILABLE", what: "login", problem });
}
