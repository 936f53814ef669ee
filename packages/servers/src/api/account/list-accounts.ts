import type { HandlerOf } from "../../call.ts";
import type { ApiContext } from "../context.ts";
import { accountsOf } from "../session/accounts.ts";
import { isOwn } from "./find-account.ts";
import { showAccount } from "./show-account.ts";

export function listAccounts({
  settings,
  rights,
}: Pick<ApiContext, "settings" | "rights">): HandlerOf<"listAccounts"> {
  return async (_request, { user }) => ({
    items: accountsOf(settings.current)
      .filter(
        ({ name }) =>
          isOwn(user, name) || rights.allows(user, { resource: "accounts", action: "get", object: name }),
      )
      .map(showAccount),
  });
}
