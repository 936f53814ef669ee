import type { ApplicationTree, ResourceDiff } from "@capstan/model";
import { list, object, optional, type Static, string } from "@capstan/model/shapes";
import type { Empty, KubeEventList, Links } from "./answers.ts";
import { base, owner } from "./applications.ts";
import { bodyLimits, route } from "./route.ts";
import type { TreeChange } from "./tree-changes.ts";

export interface ManagedResources {
  items: ResourceDiff[];
}

export interface ServerSideDiff {
  items: ResourceDiff[];
  modified: boolean;
}

export interface LogEntry {
  content: string;
  timeStamp?: string;
  timeStampStr?: string;
  podName: string;
  last: boolean;
}

export interface ResourceManifest {
  manifest: string;
}

export interface ResourceActions {
  actions: {
    name: string;
    displayName?: string;
    iconClass?: string;
    disabled?: boolean;
    params?: { name: string }[];
  }[];
}

const resourceActionRequestSchema = object({
  action: string(),
  namespace: optional(string()),
  resourceName: string(),
  version: string(),
  group: optional(string()),
  kind: string(),
  appNamespace: optional(string()),
  project: optional(string()),
  resourceActionParameters: optional(list(object({ name: string(), value: string() }))),
});
export type ResourceActionRequest = Static<typeof resourceActionRequestSchema>;

const diffRequestSchema = object({
  targetManifests: optional(list(string())),
  appNamespace: optional(string()),
  project: optional(string()),
});

const resourceQuery = {
  ...owner,
  namespace: "string",
  resourceName: "string",
  version: "string",
  group: "string",
  kind: "string",
} as const;

const logsQuery = {
  ...owner,
  namespace: "string",
  podName: "string",
  container: "string",
  sinceSeconds: "integer",
  sinceTime: "string",
  tailLines: "integer",
  follow: "boolean",
  untilTime: "string",
  filter: "string",
  matchCase: "boolean",
  previous: "boolean",
  kind: "string",
  group: "string",
  resourceName: "string",
} as const;

const treeQuery = {
  ...owner,
  namespace: "string",
  name: "string",
  version: "string",
  group: "string",
  kind: "string",
} as const;

const { name: _name, ...managedQuery } = treeQuery;
const { podName: _podName, ...logsOfPodQuery } = logsQuery;

/** What an application manages, and what came of it. */
export const applicationResourceRoutes = {
  listManagedResources: route("GET", `${base}/{name}/managed-resources`, {
    ...managedQuery,
    resourceName: "string",
    /** As of lists: what is not asked for is not made. */
    fields: "string",
    /** Only objects that a sync would have to do with. Ours alone. */
    differing: "boolean",
  })
    .rpc("application.ApplicationService/ManagedResources", { name: "applicationName", resourceName: "name" })
    .answers<ManagedResources>(),
  getResourceTree: route("GET", `${base}/{name}/resource-tree`, managedQuery)
    .rpc("application.ApplicationService/ResourceTree", { name: "applicationName" })
    .answers<ApplicationTree>(),
  watchResourceTree: route("GET", "/api/v1/stream/applications/{name}/resource-tree", managedQuery)
    .rpc("application.ApplicationService/WatchResourceTree", { name: "applicationName" })
    .streams<ApplicationTree>(),
  /** The same in changes. Ours alone. */
  watchTreeChanges: route(
    "GET",
    "/api/v1/stream/applications/{name}/resource-tree/changes",
    owner,
  ).streams<TreeChange>(),
  diffOnServer: route("GET", `${base}/{name}/server-side-diff`, {
    ...owner,
    targetManifests: "strings",
  }).answers<ServerSideDiff>(),
  /** The same of manifests that are too large for an address; messages hold as many. */
  diffManifests: route("POST", `${base}/{name}/server-side-diff`, {})
    .rpc("application.ApplicationService/ServerSideDiff", { name: "appName" })
    .takesAll(diffRequestSchema, bodyLimits.manifests)
    .answers<ServerSideDiff>(),
  getResource: route("GET", `${base}/{name}/resource`, resourceQuery)
    .rpc("application.ApplicationService/GetResource")
    .answers<ResourceManifest>(),
  /** `dryRun` is Capstan's own. */
  patchResource: route("POST", `${base}/{name}/resource`, {
    ...resourceQuery,
    patchType: "string",
    dryRun: "boolean",
  })
    .rpc("application.ApplicationService/PatchResource")
    .takes("patch", string())
    .answers<ResourceManifest>(),
  deleteResource: route("DELETE", `${base}/{name}/resource`, {
    ...resourceQuery,
    force: "boolean",
    orphan: "boolean",
  })
    .rpc("application.ApplicationService/DeleteResource")
    .answers<Empty>(),
  listResourceActions: route("GET", `${base}/{name}/resource/actions`, resourceQuery)
    .rpc("application.ApplicationService/ListResourceActions")
    .answers<ResourceActions>(),
  runResourceAction: route("POST", `${base}/{name}/resource/actions/v2`, {})
    .rpc("application.ApplicationService/RunResourceActionV2")
    .takesAll(resourceActionRequestSchema)
    .answers<Empty>(),
  runResourceActionByName: route("POST", `${base}/{name}/resource/actions`, resourceQuery)
    .rpc("application.ApplicationService/RunResourceAction")
    .takes("action", string())
    .answers<Empty>(),
  listResourceLinks: route("GET", `${base}/{name}/resource/links`, resourceQuery)
    .rpc("application.ApplicationService/ListResourceLinks")
    .answers<Links>(),
  listApplicationEvents: route("GET", `${base}/{name}/events`, {
    ...owner,
    resourceNamespace: "string",
    resourceName: "string",
    resourceUID: "string",
    /** Beside those of the Application, warnings about its objects. Ours alone. */
    withObjects: "boolean",
  })
    .rpc("application.ApplicationService/ListResourceEvents")
    .answers<KubeEventList>(),
  readLogs: route("GET", `${base}/{name}/logs`, logsQuery)
    .rpc("application.ApplicationService/PodLogs")
    .streams<LogEntry>(),
  readPodLogs: route("GET", `${base}/{name}/pods/{podName}/logs`, logsOfPodQuery).streams<LogEntry>(),
} as const;
