import type { Application, ApplicationSet, ApplicationTree } from "@capstan/model";
import { applicationSetSchema, object, optional, string } from "@capstan/model/shapes";
import type { Empty, KubeEventList, ListOf } from "./answers.ts";
import { pageQuery, route } from "./route.ts";

export interface ApplicationSetWatchEvent {
  type: "ADDED" | "MODIFIED" | "DELETED";
  applicationSet: ApplicationSet;
}

/**
 * What the controller would do about a set's Applications, by the decision that it makes itself.
 * Ours alone; Argo CD has no such call.
 */
export interface ApplicationSetDiff {
  changes: ApplicationSetChange[];
  /** Applications that cannot be written, each with why. */
  problems: { name: string; message: string }[];
  /** More would be deleted than may be at once; the code is what `capstan appset allow-deletion` takes. */
  heldDeletions?: { code: string; message: string };
}

export interface ApplicationSetChange {
  /** hold: it would be deleted, and is kept until that is allowed. */
  act: "create" | "update" | "delete" | "hold";
  name: string;
  namespace: string;
  project: string;
  /** Metadata and specification as JSON texts; absent where there is none, or where the caller may not see it. */
  liveState?: string;
  targetState?: string;
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
  /** Of a set as it would be (as for a creation), or of the one that has the name. */
  diffApplicationSet: route("POST", `${sets}/diff`, {})
    .takesAll(
      object({
        applicationSet: optional(applicationSetSchema),
        name: optional(string()),
        appsetNamespace: optional(string()),
      }),
    )
    .answers<ApplicationSetDiff>(),
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
