import type { HandlerOf } from "../../call.ts";
import type { ApiContext } from "../context.ts";

export function canI({ rights }: Pick<ApiContext, "rights">): HandlerOf<"canI"> {
  return async ({ resource, action, subresource }, { user }) => ({
    value: rights.allows(user, { resource, action, object: subresource }) ? "yes" : "no",
  });
}
