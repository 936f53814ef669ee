import type { HandlerOf } from "../../call.ts";
import { listEvents } from "../list-events.ts";
import { type ApplicationSetNeeds, findApplicationSet } from "./find-application-set.ts";

export function listApplicationSetEvents(
  context: ApplicationSetNeeds,
): HandlerOf<"listApplicationSetEvents"> {
  return async ({ name, appsetNamespace }, { user, signal }) => {
    const { metadata } = findApplicationSet(context, {
      name,
      namespace: appsetNamespace,
      user,
      action: "get",
    });
    const { namespace = context.controlNamespace, uid } = metadata;
    return listEvents(context.kube, { namespace, object: { name, uid } }, signal);
  };
}
