import { type Identity, nobody } from "../../call.ts";
import type { Shown } from "../../transport/session-cookie.ts";
import type { ApiContext } from "../context.ts";
import { unauthenticated } from "./check-subject.ts";
import type { Tokens } from "./tokens.ts";

/**
 * Who a token stands for. Where nobody has to log in, and for calls that need no login, a bad one is as good as none
 * (server/server.go Authenticate).
 */
export function createAuthenticator({ settings, tokens }: Pick<ApiContext, "settings"> & { tokens: Tokens }) {
  return async ({ token, page }: Shown, needed: boolean): Promise<Identity> => {
    const isOpen = !needed || settings.current.general.anonymousEnabled;
    if (token !== undefined) {
      const known = tokens.verify(token, page);
      return isOpen ? known.catch(() => nobody) : known;
    }
    if (isOpen) return nobody;
    throw unauthenticated("the request carries no token");
  };
}
