import type { Application } from "@capstan/model";
import {
  applicationSchema,
  applicationSpecSchema,
  boolean,
  infoSchema,
  integer,
  list,
  object,
  optional,
  retrySchema,
  type Static,
  string,
  syncResourceSchema,
  syncStrategySchema,
} from "@capstan/model/shapes";
import type { ExplainedStage, RenderExplanation, SourceDescription } from "../repo-server.ts";
import type { Empty, Links, ListOf } from "./answers.ts";
import { bodyLimits, pageQuery, route } from "./route.ts";
import { type SyncPlanPreview, syncPlanQuery } from "./sync-plan.ts";

export interface ApplicationWatchEvent {
  type: "ADDED" | "MODIFIED" | "DELETED";
  application: Application;
}

const ofOwner = { appNamespace: optional(string()), project: optional(string()) };

const syncFields = {
  revision: optional(string()),
  revisions: optional(list(string())),
  sourcePositions: optional(list(integer())),
  dryRun: optional(boolean()),
  prune: optional(boolean()),
  strategy: optional(syncStrategySchema),
  resources: optional(list(syncResourceSchema)),
  manifests: optional(list(string())),
  infos: optional(list(infoSchema)),
  retryStrategy: optional(retrySchema),
  syncOptions: optional(object({ items: optional(list(string())) })),
  ...ofOwner,
};

/** Body of `POST …/sync`; what is absent here is taken from the application where Argo CD does so. */
const syncRequestSchema = object(syncFields);
export type SyncRequest = Static<typeof syncRequestSchema>;

const syncPlanRequestSchema = object({
  ...syncFields,
  /** Id of a deployment in the history: the plan of going back to it; revisions and manifests do not count then. */
  historyId: optional(integer()),
});
export type SyncPlanRequest = Static<typeof syncPlanRequestSchema>;

const rollbackRequestSchema = object({
  id: optional(integer()),
  dryRun: optional(boolean()),
  prune: optional(boolean()),
  ...ofOwner,
});
export type RollbackRequest = Static<typeof rollbackRequestSchema>;

const patchRequestSchema = object({
  patch: string(),
  /** `json` for RFC 6902; anything else is a merge patch (RFC 7386), as in Argo CD. */
  patchType: optional(string()),
  ...ofOwner,
});

const manifestsWithFilesSchema = object({
  name: string(),
  /** SHA-256 of the archive, in hexadecimal digits. */
  checksum: string(),
  /** The folder that stands for the repository, as tar packed with gzip, in base64. */
  files: string(),
  ...ofOwner,
});

/** Manifests as JSON texts, one object each. */
export interface Manifests {
  manifests: string[];
  namespace?: string;
  server?: string;
  revision: string;
  sourceType: string;
  commands?: string[];
}

/** How the manifests of one source come about. Manifests as JSON texts. */
export interface ExplainedRender extends Omit<RenderExplanation, "stages"> {
  stages: (Omit<ExplainedStage, "manifests"> & { manifests: string[] })[];
}

/** One for each source, at its place. A source that others only refer to has neither. */
export interface DescribedSource {
  description?: SourceDescription;
  /** Why nothing can be said of it. */
  problem?: string;
}

export interface SyncWindowState {
  kind: string;
  schedule: string;
  duration: string;
  manualSync: boolean;
}

export interface ApplicationSyncWindows {
  activeWindows: SyncWindowState[];
  assignedWindows: SyncWindowState[];
  canSync: boolean;
}

/** Of all calls about applications. */
export const base = "/api/v1/applications";

export const owner = { appNamespace: "string", project: "string" } as const;

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

/** Capstan's own, which Argo CD's server does not know: what an application must be, beside what its clients ask by. */
const ownQuery = {
  search: "string",
  cluster: "strings",
  namespace: "strings",
  sync: "strings",
  health: "strings",
  autoSync: "boolean",
} as const;

const revisionQuery = { ...owner, sourceIndex: "integer", versionId: "integer" } as const;

export interface OciMetadata {
  createdAt?: string;
  authors?: string;
  docsUrl?: string;
  sourceUrl?: string;
  version?: string;
  description?: string;
}

export const applicationRoutes = {
  listApplications: route("GET", base, {
    ...applicationQuery,
    name: "string",
    ...ownQuery,
    ...pageQuery,
  })
    .rpc("application.ApplicationService/List")
    .answers<ListOf<Application>>(),
  watchApplications: route("GET", "/api/v1/stream/applications", {
    ...applicationQuery,
    name: "string",
    ...ownQuery,
  })
    .rpc("application.ApplicationService/Watch")
    .streams<ApplicationWatchEvent>(),
  createApplication: route("POST", base, { upsert: "boolean", validate: "boolean" })
    .rpc("application.ApplicationService/Create")
    .takes("application", applicationSchema)
    .answers<Application>(),
  getApplication: route("GET", `${base}/{name}`, applicationQuery)
    .rpc("application.ApplicationService/Get")
    .answers<Application>(),
  updateApplication: route("PUT", `${base}/{name}`, { ...owner, validate: "boolean" })
    .rpc("application.ApplicationService/Update", {
      name: "application.metadata.name",
      appNamespace: "application.metadata.namespace",
    })
    .takes("application", applicationSchema)
    .answers<Application>(),
  patchApplication: route("PATCH", `${base}/{name}`, {})
    .rpc("application.ApplicationService/Patch")
    .takesAll(patchRequestSchema)
    .answers<Application>(),
  updateApplicationSpec: route("PUT", `${base}/{name}/spec`, { ...owner, validate: "boolean" })
    .rpc("application.ApplicationService/UpdateSpec")
    .takes("spec", applicationSpecSchema)
    .answers<Application["spec"]>(),
  deleteApplication: route("DELETE", `${base}/{name}`, {
    ...owner,
    cascade: "boolean",
    propagationPolicy: "string",
  })
    .rpc("application.ApplicationService/Delete")
    .answers<Empty>(),
  syncApplication: route("POST", `${base}/{name}/sync`, {})
    .rpc("application.ApplicationService/Sync")
    .takesAll(syncRequestSchema, bodyLimits.manifests)
    .answers<Application>(),
  previewSync: route("GET", `${base}/{name}/sync-plan`, syncPlanQuery).answers<SyncPlanPreview>(),
  previewSyncRequest: route("POST", `${base}/{name}/sync-plan`, {})
    .takesAll(syncPlanRequestSchema, bodyLimits.manifests)
    .answers<SyncPlanPreview>(),
  rollbackApplication: route("POST", `${base}/{name}/rollback`, {})
    .rpc("application.ApplicationService/Rollback")
    .takesAll(rollbackRequestSchema)
    .answers<Application>(),
  terminateOperation: route("DELETE", `${base}/{name}/operation`, owner)
    .rpc("application.ApplicationService/TerminateOperation")
    .answers<Empty>(),
  getManifests: route("GET", `${base}/{name}/manifests`, {
    ...owner,
    revision: "string",
    revisions: "strings",
    sourcePositions: "integers",
    noCache: "boolean",
  })
    .rpc("application.ApplicationService/GetManifests")
    .answers<Manifests>(),
  getManifestsWithFiles: route("POST", `${base}/manifestsWithFiles`, {})
    .rpc(
      "application.ApplicationService/GetManifestsWithFiles",
      {
        name: "query.name",
        checksum: "query.checksum",
        appNamespace: "query.appNamespace",
        project: "query.project",
      },
      { field: "files", place: "chunk.chunk" },
    )
    .takesAll(manifestsWithFilesSchema, bodyLimits.manifests)
    .answers<Manifests>(),
  explainRender: route("GET", `${base}/{name}/stages`, {
    ...owner,
    revision: "string",
    revisions: "strings",
    sourcePositions: "integers",
  }).answers<{ sources: ExplainedRender[] }>(),
  describeSources: route("GET", `${base}/{name}/parameters`, owner).answers<{ sources: DescribedSource[] }>(),
  listApplicationLinks: route("GET", `${base}/{name}/links`, {
    ...owner,
    namespace: "string",
  })
    .rpc("application.ApplicationService/ListLinks")
    .answers<Links>(),
  getRevisionMetadata: route("GET", `${base}/{name}/revisions/{revision}/metadata`, {
    ...revisionQuery,
  })
    .rpc("application.ApplicationService/RevisionMetadata")
    .answers<{ author?: string; date: string; message?: string; tags?: string[]; signatureInfo?: string }>(),
  getChartDetails: route("GET", `${base}/{name}/revisions/{revision}/chartdetails`, revisionQuery)
    .rpc("application.ApplicationService/RevisionChartDetails")
    .answers<{ description: string; home: string; maintainers: string[] }>(),
  getOciMetadata: route("GET", `${base}/{name}/revisions/{revision}/ocimetadata`, revisionQuery)
    .rpc("application.ApplicationService/GetOCIMetadata")
    .answers<OciMetadata>(),
  getApplicationSyncWindows: route("GET", `${base}/{name}/syncwindows`, owner)
    .rpc("application.ApplicationService/GetApplicationSyncWindows")
    .answers<ApplicationSyncWindows>(),
} as const;
