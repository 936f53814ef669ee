import type { HandlerOf } from "../../call.ts";
import { untilEchoed } from "../live-waits.ts";
import { type ApplicationSetNeeds, findApplicationSet, keyOfSet, refOfSet } from "./find-application-set.ts";

export function deleteApplicationSet(context: ApplicationSetNeeds): HandlerOf<"deleteApplicationSet"> {
  return async ({ name, appsetNamespace }, { user, signal }) => {
    const { metadata } = findApplicationSet(context, {
      name,
      namespace: appsetNamespace,
      user,
      action: "delete",
    });
    const { namespace = context.controlNamespace, uid } = metadata;
    const { kube, live, clock } = context;
    const written = await kube.delete(refOfSet(namespace, name), { signal, ...(uid ? { uid } : {}) });
    await untilEchoed(live, { key: keyOfSet(namespace, name), written }, { clock, signal });
    return {};
  };
}
