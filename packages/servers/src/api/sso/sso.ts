import type { Clock } from "@capstan/flow";
import type { Settings } from "@capstan/kube";
import type { Identity } from "../../call.ts";
import type { ShownPage } from "../session/page-digest.ts";
import { type Asked, type OwnAddresses, ownAddresses } from "./return-url.ts";

/** Single sign-on by the provider of `oidc.config`. What it refuses is told in sentences without secrets. */
export interface Sso {
  /** The provider's own token, or the cookie that a login by the page made. Throws UNAUTHENTICATED. */
  verify(token: string, page?: ShownPage): Promise<Identity>;
  begin(login: { returnUrl: string; page: string | undefined; asked: Asked }): Promise<BegunLogin>;
  finish(
    back: FinishedLogin,
    signal: AbortSignal,
  ): Promise<{ location: string; token: string; isSecure: boolean }>;
  /** Where the browser ends its session at the provider, too; undefined: nowhere. */
  logoutLocation(token: string, asked: Asked): Promise<string | undefined>;
  own(asked: Asked): OwnAddresses;
}

export interface BegunLogin {
  readonly location: string;
  /** For the browser alone, for as long. */
  readonly cookie: string;
  readonly cookieSeconds: number;
  readonly isSecure: boolean;
}

export interface FinishedLogin {
  readonly query: URLSearchParams;
  readonly cookie: string | undefined;
}

export interface SsoNeeds {
  readonly settings: { readonly current: Settings };
  readonly clock: Clock;
}

/** What speaks to a provider is loaded when a request needs it. */
export function createSso(needs: SsoNeeds): Sso {
  let opened: Promise<Sso> | undefined;
  const open = () => {
    opened ??= import("./single-sign-on.ts").then(({ SingleSignOn }) => new SingleSignOn(needs));
    return opened;
  };
  return {
    verify: async (token, page) => (await open()).verify(token, page),
    begin: async (login) => (await open()).begin(login),
    finish: async (back, signal) => (await open()).finish(back, signal),
    logoutLocation: async (token, asked) => (await open()).logoutLocation(token, asked),
    own: (asked) => ownAddresses(needs.settings.current.general, asked),
  };
}
