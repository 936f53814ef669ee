import type { HandlerOf } from "../../call.ts";
import { findResource, type ResourceNeeds } from "../application/find-resource.ts";
import type { RenderNeeds } from "../application/render-application.ts";
import { showObject } from "../application/show-object.ts";
import type { ApiContext } from "../context.ts";
import { linksFor, placeOf } from "./links-for.ts";

/** Those of resource.links (argocd-cm) for an object of an application's tree, which is shown without its secrets. */
export function listResourceLinks(
  context: ResourceNeeds & RenderNeeds & Pick<ApiContext, "log">,
): HandlerOf<"listResourceLinks"> {
  return async (request, { user, signal }) => {
    const found = await findResource(context, { request, user, action: "get", signal });
    const resource = await showObject(context, found, signal);
    const items = await linksFor(context, "resource", {
      resource,
      application: found.app,
      ...placeOf(context, found.app),
    });
    return { items };
  };
}
