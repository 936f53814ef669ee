import type { HandlerOf } from "../../call.ts";
import { requireRight } from "../access/rights.ts";
import { shownCluster } from "../cluster/shown-cluster.ts";
import type { ApiContext } from "../context.ts";
import { listEvents } from "../list-events.ts";
import { shownRepository } from "../repository/shown-repository.ts";
import { fetchProject, type ProjectNeeds } from "./project-handlers.ts";

type Needs = ProjectNeeds & Pick<ApiContext, "settings" | "clusters">;

const resource = "projects";

export function getDetailedProject(context: Needs): HandlerOf<"getDetailedProject"> {
  return async ({ name }, { user, signal }) => {
    requireRight(context.rights, user, { resource, action: "get", object: name });
    const project = await fetchProject(context, name, signal);
    const { repositories, clusters } = context.settings.current;
    return {
      project,
      globalProjects: [],
      repositories: repositories.filter((one) => one.project === name).map((one) => shownRepository(one)),
      clusters: clusters.filter((one) => one.project === name).map((one) => shownCluster(context, one)),
    };
  };
}

export function listProjectEvents(context: Needs): HandlerOf<"listProjectEvents"> {
  return async ({ name }, { user, signal }) => {
    requireRight(context.rights, user, { resource, action: "get", object: name });
    const { metadata } = await fetchProject(context, name, signal);
    const { uid } = metadata;
    return listEvents(context.kube, { namespace: context.controlNamespace, object: { name, uid } }, signal);
  };
}

export function listGlobalProjects({ rights }: Needs): HandlerOf<"listGlobalProjects"> {
  return async ({ name }, { user }) => {
    requireRight(rights, user, { resource, action: "get", object: name });
    return { metadata: {}, items: [] };
  };
}

export function listProjectLinks({ rights }: Needs): HandlerOf<"listProjectLinks"> {
  return async ({ name }, { user }) => {
    requireRight(rights, user, { resource, action: "get", object: name });
    return { items: [] };
  };
}

export function getProjectSyncWindows(context: Needs): HandlerOf<"getProjectSyncWindows"> {
  return async ({ name }, { user, signal }) => {
    requireRight(context.rights, user, { resource, action: "get", object: name });
    return { windows: (await fetchProject(context, name, signal)).spec.syncWindows ?? [] };
  };
}
