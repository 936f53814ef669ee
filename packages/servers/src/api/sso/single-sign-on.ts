import { createHash, randomBytes, randomUUID } from "node:crypto";
import { CapstanError } from "@capstan/model";
import type { Identity } from "../../call.ts";
import { unauthenticated } from "../session/check-subject.ts";
import { checkPage, pageDigest, type ShownPage } from "../session/page-digest.ts";
import { signingSecret } from "../session/signing-secret.ts";
import { isSealed } from "./is-sealed.ts";
import { LoginStates, sealState, stateMs } from "./login-state.ts";
import { Provider } from "./provider.ts";
import { type Asked, checkReturnUrl, type OwnAddresses, ownAddresses } from "./return-url.ts";
import type { BegunLogin, FinishedLogin, Sso, SsoNeeds } from "./sso.ts";
import { identityOfClaims, tokenIdOf } from "./sso-identity.ts";
import {
  longestSessionMs,
  neededTokens,
  openSession,
  SsoRefresh,
  type SsoSession,
  sealSession,
} from "./sso-sessions.ts";
import { UserGroups } from "./user-groups.ts";

const maxAtOnce = 50;

/** Beside the rest of the server, since what it loads has many files, and few requests need it. */
export class SingleSignOn implements Sso {
  readonly #needs: SsoNeeds;
  readonly #states: LoginStates;
  readonly #groups: UserGroups;
  readonly #refresh: SsoRefresh;
  #provider: { of: string; provider: Provider } | undefined;
  #finishing = 0;

  constructor(needs: SsoNeeds) {
    this.#needs = needs;
    this.#states = new LoginStates(needs.clock);
    this.#groups = new UserGroups(needs.clock);
    this.#refresh = new SsoRefresh(needs.clock);
  }

  async verify(token: string, page?: ShownPage): Promise<Identity> {
    const provider = this.#current();
    if (!isSealed(token)) {
      const claims = await provider.verify(token);
      const identity = await this.#identity(claims, provider, undefined);
      return { ...identity, tokenId: tokenIdOf(claims, token), endsAt: identity.expiresAt };
    }
    const opened = await openSession(token, this.#secret());
    checkPage(opened.page, page);
    if (this.#needs.clock.now() - opened.beganAtMs > longestSessionMs)
      throw unauthenticated("the login is older than thirty days: log in again");
    const { claims, session, isNew } = await this.#refresh.current(opened, provider);
    const identity = await this.#identity(claims, provider, session.accessToken);
    const expiresAt = Math.floor((session.beganAtMs + longestSessionMs) / 1000);
    const endsAt =
      session.refreshToken === undefined ? Math.min(claims.exp ?? expiresAt, expiresAt) : expiresAt;
    const known = { ...identity, tokenId: session.id, expiresAt, endsAt };
    return isNew ? { ...known, renewal: await sealSession(session, this.#secret()) } : known;
  }

  async begin({ returnUrl, page, asked }: Parameters<Sso["begin"]>[0]): Promise<BegunLogin> {
    const provider = this.#current();
    const own = this.own(asked);
    const checked = checkReturnUrl(returnUrl, own);
    if (checked === undefined)
      throw new CapstanError({
        code: "INVALID_ARGUMENT",
        field: "return_url",
        problem: "leads to another server than those of url and additionalUrls in ConfigMap argocd-cm",
      });
    const [state, nonce, verifier] = [random(), random(), random()];
    const redirectUri = `${own.own}/auth/callback`;
    const atMs = this.#needs.clock.now();
    const bound = page === undefined ? undefined : pageDigest(page);
    const kept = { state, nonce, verifier, redirectUri, returnUrl: checked, page: bound, atMs };
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    return {
      location: await provider.authorizationUrl({ redirectUri, state, nonce, challenge }),
      cookie: await sealState(kept, this.#secret()),
      cookieSeconds: stateMs / 1000,
      isSecure: own.own.startsWith("https:"),
    };
  }

  async finish({ query, cookie }: FinishedLogin, signal: AbortSignal) {
    const provider = this.#current();
    const login = await this.#states.open(cookie, query.get("state") ?? "", this.#secret());
    const code = query.get("code") ?? "";
    if (code === "") {
      const said = (query.get("error") ?? "no code").replace(/[^\w -]/g, "").slice(0, 50);
      throw unauthenticated(`the identity provider did not log in: ${said}`);
    }
    if (this.#finishing >= maxAtOnce)
      throw new CapstanError({ code: "QUEUE_FULL", queue: "login", limit: maxAtOnce });
    this.#finishing += 1;
    try {
      const { redirectUri, verifier, nonce, page, returnUrl } = login;
      const tokens = await provider.redeem({ code, redirectUri, verifier }, signal);
      const claims = await provider.verify(tokens.idToken);
      if (claims.nonce !== nonce)
        throw unauthenticated("the identity provider answered another login: begin again");
      await this.#identity(claims, provider, tokens.accessToken);
      const session: SsoSession = {
        ...neededTokens(tokens, provider.settings),
        id: randomUUID(),
        beganAtMs: this.#needs.clock.now(),
        page,
      };
      const token = await sealSession(session, this.#secret());
      return { location: returnUrl, token, isSecure: redirectUri.startsWith("https:") };
    } finally {
      this.#finishing -= 1;
    }
  }

  async logoutLocation(token: string, asked: Asked): Promise<string | undefined> {
    const logoutUrl = this.#needs.settings.current.general.oidc?.logoutUrl;
    if (logoutUrl === undefined || !isSealed(token)) return undefined;
    const { idToken } = await openSession(token, this.#secret());
    return logoutUrl
      .replaceAll("{{token}}", () => encodeURIComponent(idToken))
      .replaceAll("{{logoutRedirectURL}}", () => this.own(asked).own);
  }

  own(asked: Asked): OwnAddresses {
    return ownAddresses(this.#needs.settings.current.general, asked);
  }

  async #identity(
    claims: Parameters<UserGroups["complete"]>[0],
    provider: Provider,
    accessToken: string | undefined,
  ): Promise<Identity> {
    const complete = await this.#groups.complete(claims, provider, accessToken);
    return identityOfClaims(complete, this.#needs.settings.current.rbac);
  }

  #current(): Provider {
    const { oidc } = this.#needs.settings.current.general;
    if (oidc === undefined)
      throw unauthenticated("there is no single sign-on: set oidc.config in ConfigMap argocd-cm");
    const of = JSON.stringify(oidc);
    if (this.#provider?.of !== of) this.#provider = { of, provider: new Provider(oidc, this.#needs.clock) };
    return this.#provider.provider;
  }

  #secret(): string {
    return signingSecret(this.#needs.settings.current);
  }
}

/** 256 bits. */
function random(): string {
  return randomBytes(32).toString("base64url");
}
