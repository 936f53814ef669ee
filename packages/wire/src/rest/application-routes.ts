import type { Application, ApplicationTree } from "@capstan/model";
import type {
  ApplicationSyncWindows,
  ApplicationWatchEvent,
  DescribedSource,
  ExplainedRender,
  KubeEventList,
  Links,
  ListOf,
  LogEntry,
  ManagedResources,
  Manifests,
  PatchRequest,
  ResourceActionRequest,
  ResourceActions,
  ResourceManifest,
  RollbackRequest,
  ServerSideDiff,
  SyncPlanRequest,
  SyncRequest,
} from "./application-messages.ts";
import type { Empty } from "./other-messages.ts";
import { bodyLimits, route } from "./route.ts";
import { type SyncPlanPreview, syncPlanQuery } from "./sync-plan.ts";

const base = "/api/v1/applications";

const owner = { appNamespace: "string", project: "string" } as const;

const applicationQuery = {
  refresh: "string",
  project: "strings",
  projects: "strings",
  selector: "string",
  repo: "string",
  appNamespace: "string",
  resourceVersion: "string",
  /** grpc-gateway's projection: `items.metadata.name,…`, or with a leading `-` what to leave out. */
  fields: "string",
} as const;

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

const { name: _, ...managedQuery } = treeQuery;

export const applicationRoutes = {
  listApplications: route("GET", base, { ...applicationQuery, name: "string" }).answers<
    ListOf<Application>
  >(),
  watchApplications: route("GET", "/api/v1/stream/applications", {
    ...applicationQuery,
    name: "string",
  }).streams<ApplicationWatchEvent>(),
  createApplication: route("POST", base, { upsert: "boolean", validate: "boolean" })
    .takes<Application, "application">("application")
    .answers<Application>(),
  getApplication: route("GET", `${base}/{name}`, applicationQuery).answers<Application>(),
  updateApplication: route("PUT", `${base}/{name}`, { ...owner, validate: "boolean" })
    .takes<Application, "application">("application")
    .answers<Application>(),
  patchApplication: route("PATCH", `${base}/{name}`, {}).takesAll<PatchRequest>().answers<Application>(),
  updateApplicationSpec: route("PUT", `${base}/{name}/spec`, { ...owner, validate: "boolean" })
    .takes<Application["spec"], "spec">("spec")
    .answers<Application["spec"]>(),
  deleteApplication: route("DELETE", `${base}/{name}`, {
    ...owner,
    cascade: "boolean",
    propagationPolicy: "string",
  }).answers<Empty>(),
  syncApplication: route("POST", `${base}/{name}/sync`, {})
    .takesAll<SyncRequest>(bodyLimits.manifests)
    .answers<Application>(),
  previewSync: route("GET", `${base}/{name}/sync-plan`, syncPlanQuery).answers<SyncPlanPreview>(),
  previewSyncRequest: route("POST", `${base}/{name}/sync-plan`, {})
    .takesAll<SyncPlanRequest>(bodyLimits.manifests)
    .answers<SyncPlanPreview>(),
  rollbackApplication: route("POST", `${base}/{name}/rollback`, {})
    .takesAll<RollbackRequest>()
    .answers<Application>(),
  terminateOperation: route("DELETE", `${base}/{name}/operation`, owner).answers<Empty>(),
  listManagedResources: route("GET", `${base}/{name}/managed-resources`, {
    ...managedQuery,
    resourceName: "string",
  }).answers<ManagedResources>(),
  getResourceTree: route("GET", `${base}/{name}/resource-tree`, managedQuery).answers<ApplicationTree>(),
  watchResourceTree: route(
    "GET",
    "/api/v1/stream/applications/{name}/resource-tree",
    managedQuery,
  ).streams<ApplicationTree>(),
  getManifests: route("GET", `${base}/{name}/manifests`, {
    ...owner,
    revision: "string",
    revisions: "strings",
    sourcePositions: "integers",
    noCache: "boolean",
  }).answers<Manifests>(),
  explainRender: route("GET", `${base}/{name}/stages`, {
    ...owner,
    revision: "string",
    revisions: "strings",
    sourcePositions: "integers",
  }).answers<{ sources: ExplainedRender[] }>(),
  describeSources: route("GET", `${base}/{name}/parameters`, owner).answers<{ sources: DescribedSource[] }>(),
  diffOnServer: route("GET", `${base}/{name}/server-side-diff`, {
    ...owner,
    targetManifests: "strings",
  }).answers<ServerSideDiff>(),
  getResource: route("GET", `${base}/{name}/resource`, resourceQuery).answers<ResourceManifest>(),
  patchResource: route("POST", `${base}/{name}/resource`, { ...resourceQuery, patchType: "string" })
    .takes<string, "patch">("patch")
    .answers<ResourceManifest>(),
  deleteResource: route("DELETE", `${base}/{name}/resource`, {
    ...resourceQuery,
    force: "boolean",
    orphan: "boolean",
  }).answers<Empty>(),
  listResourceActions: route(
    "GET",
    `${base}/{name}/resource/actions`,
    resourceQuery,
  ).answers<ResourceActions>(),
  runResourceAction: route("POST", `${base}/{name}/resource/actions/v2`, {})
    .takesAll<ResourceActionRequest>()
    .answers<Empty>(),
  runResourceActionByName: route("POST", `${base}/{name}/resource/actions`, resourceQuery)
    .takes<string, "action">("action")
    .answers<Empty>(),
  listResourceLinks: route("GET", `${base}/{name}/resource/links`, resourceQuery).answers<Links>(),
  listApplicationLinks: route("GET", `${base}/{name}/links`, {
    ...owner,
    namespace: "string",
  }).answers<Links>(),
  listApplicationEvents: route("GET", `${base}/{name}/events`, {
    ...owner,
    resourceNamespace: "string",
    resourceName: "string",
    resourceUID: "string",
  }).answers<KubeEventList>(),
  readLogs: route("GET", `${base}/{name}/logs`, logsQuery).streams<LogEntry>(),
  readPodLogs: route("GET", `${base}/{name}/pods/{podName}/logs`, withoutPodName()).streams<LogEntry>(),
  getRevisionMetadata: route("GET", `${base}/{name}/revisions/{revision}/metadata`, {
    ...owner,
    sourceIndex: "integer",
    versionId: "integer",
  }).answers<{ author?: string; date: string; message?: string; tags?: string[] }>(),
  getApplicationSyncWindows: route(
    "GET",
    `${base}/{name}/syncwindows`,
    owner,
  ).answers<ApplicationSyncWindows>(),
} as const;

function withoutPodName() {
  const { podName: _, ...rest } = logsQuery;
  return rest;
}
