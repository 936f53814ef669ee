import type { Application, ApplicationSet, ApplicationTree } from "@capstan/model";
import { applicationSetSchema, object, optional, string } from "@capstan/model/shapes";
import type { Empty, KubeEventList, ListOf } from "./answers.ts";
import { pageQuery, route } from "./route.ts";

export interface ApplicationSetWatchEvent {
  type: "ADDED" | "MODIFIED" | "DELETED";
  applicationSet: ApplicationSet;
}

const sets = "/api/v1/applicationsets";
const owner = { appsetNamespace: "string" } as const;
const query = { ...owner, projects: "strings", selector: "string" } as const;
const service = "applicationset.ApplicationSetService";

export const applicationSetRoutes = {
  listApplicationSets: route("GET", sets, { ...query, ...pageQuery })
    .rpc(`${service}/List`)
    .answers<ListOf<ApplicationSet>>(),
  watchApplicationSets: route("GET", "/api/v1/stream/applicationsets", {
    ...query,
    name: "string",
    resourceVersion: "string",
  }).streams<ApplicationSetWatchEvent>(),
  createApplicationSet: route("POST", sets, { upsert: "boolean", dryRun: "boolean" })
    .rpc(`${service}/Create`)
    .takes("applicationset", applicationSetSchema)
    .answers<ApplicationSet>(),
  generateApplicationSet: route("POST", `${sets}/generate`, {})
    .rpc(`${service}/Generate`)
    .takesAll(object({ applicationSet: optional(applicationSetSchema) }))
    .answers<{ applications: Application[] }>(),
  allowApplicationSetDeletion: route("POST", `${sets}/{name}/allow-deletion`, owner)
    .takesAll(object({ code: string() }))
    .answers<Empty>(),
  getApplicationSet: route("GET", `${sets}/{name}`, owner).rpc(`${service}/Get`).answers<ApplicationSet>(),
  deleteApplicationSet: route("DELETE", `${sets}/{name}`, owner).rpc(`${service}/Delete`).answers<Empty>(),
  getApplicationSetTree: route("GET", `${sets}/{name}/resource-tree`, owner)
    .rpc(`${service}/ResourceTree`)
    .answers<Pick<ApplicationTree, "nodes">>(),
  listApplicationSetEvents: route("GET", `${sets}/{name}/events`, owner).answers<KubeEventList>(),
} as const;
