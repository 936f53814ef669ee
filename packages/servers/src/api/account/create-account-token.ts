import { randomUUID } from "node:crypto";
import { CapstanError } from "@capstan/model";
import type { HandlerOf } from "../../call.ts";
import type { ApiContext } from "../context.ts";
import type { AccountToken } from "../session/accounts.ts";
import { lifeOf, type Tokens } from "../session/tokens.ts";
import { changeTokens, type TokenNeeds } from "./change-tokens.ts";
import { findAccount, requireAccountRight } from "./find-account.ts";

type Needs = TokenNeeds & Pick<ApiContext, "rights"> & { tokens: Tokens };

/** A token for programs. It counts as long as argocd-secret lists its id (server/account CreateToken). */
export function createAccountToken(context: Needs): HandlerOf<"createAccountToken"> {
  return async ({ name, expiresIn, id = "" }, { user, signal }) => {
    requireAccountRight(context.rights, user, { action: "update", account: name });
    if (!findAccount(context.settings.current, name).capabilities.includes("apiKey"))
      throw new CapstanError({
        code: "FAILED_PRECONDITION",
        what: `account "${name}"`,
        problem: `may have no tokens: set accounts.${name} to "apiKey" or "apiKey, login" in ConfigMap argocd-cm`,
      });
    const issued = await context.tokens.issue(`${name}:apiKey`, {
      expiresInMs: lifeOf(expiresIn),
      id: id || randomUUID(),
    });
    const { token, ...entry } = issued;
    const change = (tokens: readonly AccountToken[]) => {
      if (tokens.some((one) => one.id === entry.id))
        throw new CapstanError({
          code: "INVALID_ARGUMENT",
          field: "id",
          problem: `account "${name}" has a token with the id "${entry.id}" already: take another, or delete that one`,
        });
      return [...tokens, entry];
    };
    await changeTokens(context, { account: name, change }, signal);
    return { token };
  };
}
