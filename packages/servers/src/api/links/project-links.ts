import type { HandlerOf } from "../../call.ts";
import { requireRight } from "../access/rights.ts";
import type { ApiContext } from "../context.ts";
import { fetchProject, type ProjectNeeds } from "../project/project-handlers.ts";
import { linksFor, withoutTokens } from "./links-for.ts";

/** Those of project.links (argocd-cm). */
export function listProjectLinks(
  context: ProjectNeeds & Pick<ApiContext, "settings" | "log">,
): HandlerOf<"listProjectLinks"> {
  return async ({ name }, { user, signal }) => {
    requireRight(context.rights, user, { resource: "projects", action: "get", object: name });
    const project = withoutTokens(await fetchProject(context, name, signal));
    return { items: await linksFor(context, "project", { project }) };
  };
}
