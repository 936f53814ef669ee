import { CapstanError } from "@capstan/model";
import type { HandlerOf } from "../../call.ts";
import type { ApiContext } from "../context.ts";
import { changeTokens, type TokenNeeds } from "./change-tokens.ts";
import { findAccount, requireAccountRight } from "./find-account.ts";

type Needs = TokenNeeds & Pick<ApiContext, "rights">;

export function deleteAccountToken(context: Needs): HandlerOf<"deleteAccountToken"> {
  return async ({ name, id }, { user, signal }) => {
    requireAccountRight(context.rights, user, { action: "update", account: name });
    findAccount(context.settings.current, name);
    await changeTokens(
      context,
      {
        account: name,
        change(tokens) {
          const left = tokens.filter((one) => one.id !== id);
          if (left.length === tokens.length)
            throw new CapstanError({ code: "NOT_FOUND", what: `token "${id}" of account "${name}"` });
          return left;
        },
      },
      signal,
    );
    return {};
  };
}
