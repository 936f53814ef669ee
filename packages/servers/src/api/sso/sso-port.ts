import { isCapstanError } from "@capstan/model";
import { anyPage } from "../session/page-digest.ts";
import type { Tokens } from "../session/tokens.ts";
import type { Sso } from "./sso.ts";

/** Logins and logouts of browsers. */
export function ssoPort(sso: Sso, tokens: Tokens) {
  return {
    begin: (login: Parameters<Sso["begin"]>[0]) => sso.begin(login),
    finish: (back: Parameters<Sso["finish"]>[0], signal: AbortSignal) => sso.finish(back, signal),
    async logOut(token: string | undefined, asked: Parameters<Sso["own"]>[0]): Promise<string> {
      const here = sso.own(asked).own;
      if (token === undefined) return here;
      try {
        await tokens.revoke(await tokens.verify(token, anyPage));
        return (await sso.logoutLocation(token, asked)) ?? here;
      } catch (error) {
        // What counts no more needs no ending.
        if (isCapstanError(error, "UNAUTHENTICATED")) return here;
        throw error;
      }
    },
  };
}
