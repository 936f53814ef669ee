import type { HandlerOf } from "../../call.ts";
import type { ApiContext } from "../context.ts";
import { findAccount, requireAccountRight } from "./find-account.ts";
import { showAccount } from "./show-account.ts";

export function getAccount({
  settings,
  rights,
}: Pick<ApiContext, "settings" | "rights">): HandlerOf<"getAccount"> {
  return async ({ name }, { user }) => {
    requireAccountRight(rights, user, { action: "get", account: name });
    return showAccount(findAccount(settings.current, name));
  };
}
