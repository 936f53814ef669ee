import { sharedRules } from "@capstan/engine";
import { type AppProject, argoApiVersion } from "@capstan/model";
import type { HandlerOf } from "../../call.ts";
import { findGlobalProjects } from "../access/find-project.ts";
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
      globalProjects: shownGlobals(context, project),
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

export function listGlobalProjects(context: Needs): HandlerOf<"listGlobalProjects"> {
  return async ({ name }, { user, signal }) => {
    requireRight(context.rights, user, { resource, action: "get", object: name });
    const project = await fetchProject(context, name, signal);
    return { metadata: {}, items: shownGlobals(context, project) };
  };
}

/** Whoever may see a project may see the rules that others add to it, and nothing else of those: no roles, no tokens. */
function shownGlobals(context: Needs, project: AppProject): AppProject[] {
  return findGlobalProjects(context, project).map((one) => {
    const { name, namespace } = one.metadata;
    return {
      apiVersion: argoApiVersion,
      kind: "AppProject",
      metadata: { name, ...(namespace ? { namespace } : {}) },
      spec: sharedRules(one),
    };
  });
}

export function getProjectSyncWindows(context: Needs): HandlerOf<"getProjectSyncWindows"> {
  return async ({ name }, { user, signal }) => {
    requireRight(context.rights, user, { resource, action: "get", object: name });
    return { windows: (await fetchProject(context, name, signal)).spec.syncWindows ?? [] };
  };
}
