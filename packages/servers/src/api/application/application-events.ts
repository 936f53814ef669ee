import type { HandlerOf } from "../../call.ts";
import type { ApiContext } from "../context.ts";
import { listEvents } from "../list-events.ts";
import { findApplication } from "./find-application.ts";

type Needs = Pick<ApiContext, "live" | "kube" | "rights" | "controlNamespace" | "clusters">;

/** Of the application itself, or of a resource of it in its cluster. */
export function listApplicationEvents(context: Needs): HandlerOf<"listApplicationEvents"> {
  return async (request, { user, signal }) => {
    const app = await findApplication(context, { request, user, action: "get", signal });
    const { resourceName, resourceNamespace, resourceUID } = request;
    if (!resourceName) {
      const { name, namespace = context.controlNamespace, uid } = app.metadata;
      return listEvents(context.kube, { namespace, object: { name, uid } }, signal);
    }
    const { client } = context.clusters.forDestination(app.spec.destination);
    const object = { name: resourceName, uid: resourceUID };
    return listEvents(client, { namespace: resourceNamespace || "default", object }, signal);
  };
}
