import type { AppProject, SyncWindow } from "@capstan/model";
import { appProjectSchema, boolean, object, optional, string } from "@capstan/model/shapes";
import { newTokenShape } from "./accounts.ts";
import type { Empty, KubeEventList, Links, ListOf } from "./answers.ts";
import type { RestCluster } from "./clusters.ts";
import type { RestRepository } from "./repositories.ts";
import { bodyLimits, route } from "./route.ts";

export interface DetailedProject {
  project: AppProject;
  globalProjects: AppProject[];
  repositories: RestRepository[];
  clusters: RestCluster[];
}

export type ProjectList = ListOf<AppProject>;

const projects = "/api/v1/projects";

export const projectRoutes = {
  listProjects: route("GET", projects, { name: "string", fields: "string" }).answers<ProjectList>(),
  createProject: route("POST", projects, {})
    .takesAll(object({ project: appProjectSchema, upsert: optional(boolean()) }))
    .answers<AppProject>(),
  getProject: route("GET", `${projects}/{name}`, {}).answers<AppProject>(),
  updateProject: route("PUT", `${projects}/{name}`, {})
    .takesAll(object({ project: appProjectSchema }))
    .answers<AppProject>(),
  deleteProject: route("DELETE", `${projects}/{name}`, {}).answers<Empty>(),
  getDetailedProject: route("GET", `${projects}/{name}/detailed`, {}).answers<DetailedProject>(),
  createProjectToken: route("POST", `${projects}/{project}/roles/{role}/token`, {})
    .takesAll(object({ ...newTokenShape, description: optional(string()) }), bodyLimits.small)
    .answers<{ token: string }>(),
  deleteProjectToken: route("DELETE", `${projects}/{project}/roles/{role}/token/{iat}`, {
    id: "string",
  }).answers<Empty>(),
  listProjectEvents: route("GET", `${projects}/{name}/events`, {}).answers<KubeEventList>(),
  listGlobalProjects: route("GET", `${projects}/{name}/globalprojects`, {}).answers<ListOf<AppProject>>(),
  listProjectLinks: route("GET", `${projects}/{name}/links`, {}).answers<Links>(),
  getProjectSyncWindows: route("GET", `${projects}/{name}/syncwindows`, {}).answers<{
    windows: SyncWindow[];
  }>(),
} as const;
