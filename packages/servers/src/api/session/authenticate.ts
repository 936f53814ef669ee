import { type Identity, nobody } from "../../call.ts";
import type { Shown } from "../../transport/session-cookie.ts";
import type { ApiContext } from "../context.ts";
import { unauthenticated } from "./check-subject.ts";
import type { Tokens } from "./tokens.ts";

/** Who a token stands for. Calls that need none answer a bad one as they answer nobody. */
export function createAuthenticator({ settings, tokens }: Pick<ApiContext, "settings"> & { tokens: Tokens }) {
  return async ({ token, page }: Shown, needed: boolean): Promise<Identity> => {
    if (token === undefined) {
      if (needed && !settings.current.general.anonymousEnabled)
        throw unauthenticated("the request carries no token");
      return nobody;
    }
    if (needed) return tokens.verify(token, page);
    return tokens.verify(token, page).catch(() => nobody);
  };
}
