import { instanceName } from "@capstan/model";
import type { HandlerOf } from "../../call.ts";
import { type ActionNeeds, findActionTarget } from "./find-action-target.ts";

export function listResourceActions(context: ActionNeeds): HandlerOf<"listResourceActions"> {
  return async (request, { user, signal }) => {
    const { app, object } = await findActionTarget(context, { request, user, action: "get", signal });
    const asker = instanceName(app, context.controlNamespace);
    const offered = await context.scripts.actions.offered(object, { asker, signal });
    return {
      actions: offered.map(({ params, ...one }) => ({ ...one, ...(params ? { params: [...params] } : {}) })),
    };
  };
}
