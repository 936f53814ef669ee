import { BoundedMap, type Clock } from "@capstan/flow";
import { unauthenticated } from "../session/check-subject.ts";
import { seal, unseal } from "./seal.ts";

/** What a browser keeps while it is at the provider, sealed: only there, and for one return. */
export interface LoginState {
  readonly state: string;
  readonly nonce: string;
  /** PKCE (RFC 7636). */
  readonly verifier: string;
  readonly redirectUri: string;
  readonly returnUrl: string;
  /** Digest of the page's secret. */
  readonly page: string | undefined;
  /** Milliseconds since 1970. */
  readonly atMs: number;
}

/** Argo CD's common.StateCookieMaxAge. */
export const stateMs = 300_000;
const maxUsed = 10_000;

export function sealState(state: LoginState, secretKey: string): Promise<string> {
  return seal("login", state, secretKey);
}

/** Opens each state once. */
export class LoginStates {
  readonly #used = new BoundedMap<true>(maxUsed);
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `given`: the state that came back with the browser. Throws UNAUTHENTICATED. */
  async open(cookie: string | undefined, given: string, secretKey: string): Promise<LoginState> {
    const value = cookie === undefined ? undefined : await unseal("login", cookie, secretKey);
    const text = (key: string): string => (typeof value?.[key] === "string" ? value[key] : "");
    const atMs = typeof value?.atMs === "number" ? value.atMs : 0;
    const [state, page] = [text("state"), text("page")];
    const isOver = this.#clock.now() - atMs > stateMs;
    if (state === "" || state !== given || isOver || this.#used.has(state))
      throw unauthenticated(
        "the login was not begun by this browser, or more than five minutes ago: begin again",
      );
    this.#used.set(state, true);
    return {
      state,
      nonce: text("nonce"),
      verifier: text("verifier"),
      redirectUri: text("redirectUri"),
      returnUrl: text("returnUrl"),
      page: page === "" ? undefined : page,
      atMs,
    };
  }
}
