import type { HandlerOf } from "../../call.ts";
import { type ApplicationSetNeeds, findApplicationSet } from "./find-application-set.ts";

export function getApplicationSet(context: ApplicationSetNeeds): HandlerOf<"getApplicationSet"> {
  return async ({ name, appsetNamespace: namespace }, { user }) =>
    findApplicationSet(context, { name, namespace, user, action: "get" });
}
