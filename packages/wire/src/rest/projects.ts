import type { AppProject, SyncWindow } from "@capstan/model";
import { appProjectSchema, boolean, object, optional, string } from "@capstan/model/shapes";
import { newTokenShape } from "./accounts.ts";
import type { Empty, KubeEventList, Links, ListOf } from "./answers.ts";
import type { RestCluster } from "./clusters.ts";
import type { RestRepository } from "./repositories.ts";
import { bodyLimits, pageQuery, route } from "./route.ts";

export interface DetailedProject {
  project: AppProject;
  globalProjects: AppProject[];
  repositories: RestRepository[];
  clusters: RestCluster[];
}

export type ProjectList = ListOf<AppProject>;

const projects = "/api/v1/projects";

export const projectRoutes = {
  listProjects: route("GET", projects, { name: "string", fields: "string", ...pageQuery })
    .rpc("project.ProjectService/List")
    .answers<ProjectList>(),
  createProject: route("POST", projects, {})
    .rpc("project.ProjectService/Create")
    .takesAll(object({ project: appProjectSchema, upsert: optional(boolean()) }))
    .answers<AppProject>(),
  getProject: route("GET", `${projects}/{name}`, {}).rpc("project.ProjectService/Get").answers<AppProject>(),
  updateProject: route("PUT", `${projects}/{name}`, {})
    .rpc("project.ProjectService/Update", { name: "project.metadata.name" })
    .takesAll(object({ project: appProjectSchema }))
    .answers<AppProject>(),
  deleteProject: route("DELETE", `${projects}/{name}`, {})
    .rpc("project.ProjectService/Delete")
    .answers<Empty>(),
  getDetailedProject: route("GET", `${projects}/{name}/detailed`, {})
    .rpc("project.ProjectService/GetDetailedProject")
    .answers<DetailedProject>(),
  createProjectToken: route("POST", `${projects}/{project}/roles/{role}/token`, {})
    .rpc("project.ProjectService/CreateToken")
    .takesAll(object({ ...newTokenShape, description: optional(string()) }), bodyLimits.small)
    .answers<{ token: string }>(),
  deleteProjectToken: route("DELETE", `${projects}/{project}/roles/{role}/token/{iat}`, {
    id: "string",
  })
    .rpc("project.ProjectService/DeleteToken")
    .answers<Empty>(),
  listProjectEvents: route("GET", `${projects}/{name}/events`, {})
    .rpc("project.ProjectService/ListEvents")
    .answers<KubeEventList>(),
  listGlobalProjects: route("GET", `${projects}/{name}/globalprojects`, {})
    .rpc("project.ProjectService/GetGlobalProjects")
    .answers<ListOf<AppProject>>(),
  listProjectLinks: route("GET", `${projects}/{name}/links`, {})
    .rpc("project.ProjectService/ListLinks")
    .answers<Links>(),
  getProjectSyncWindows: route("GET", `${projects}/{name}/syncwindows`, {})
    .rpc("project.ProjectService/GetSyncWindowsState")
    .answers<{
      windows: SyncWindow[];
    }>(),
} as const;
