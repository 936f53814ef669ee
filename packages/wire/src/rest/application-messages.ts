import type {
  Application,
  Info,
  ResourceDiff,
  RetryStrategy,
  SyncOperationResource,
  SyncStrategy,
} from "@capstan/model";
import type { ExplainedStage, RenderExplanation, SourceDescription } from "../repo-server.ts";

// Field names and meanings are those of Argo CD's application.proto and v1alpha1 types.

export interface ListMeta {
  resourceVersion?: string;
  continue?: string;
}

export interface ListOf<T> {
  metadata: ListMeta;
  items: readonly T[];
}

export interface ApplicationWatchEvent {
  type: "ADDED" | "MODIFIED" | "DELETED";
  application: Application;
}

export interface ManagedResources {
  items: ResourceDiff[];
}

export interface ServerSideDiff {
  items: ResourceDiff[];
  modified: boolean;
}

/** Body of `POST …/sync`; what is absent here is taken from the application where Argo CD does so. */
export interface SyncRequest {
  revision?: string;
  revisions?: string[];
  sourcePositions?: number[];
  dryRun?: boolean;
  prune?: boolean;
  strategy?: SyncStrategy;
  resources?: SyncOperationResource[];
  manifests?: string[];
  infos?: Info[];
  retryStrategy?: RetryStrategy;
  syncOptions?: { items?: string[] };
  appNamespace?: string;
  project?: string;
}

export interface SyncPlanRequest extends SyncRequest {
  /** Id of a deployment in the history: the plan of going back to it; revisions and manifests do not count then. */
  historyId?: number;
}

export interface RollbackRequest {
  id?: number;
  dryRun?: boolean;
  prune?: boolean;
  appNamespace?: string;
  project?: string;
}

export interface PatchRequest {
  patch: string;
  /** `json` for RFC 6902; anything else is a merge patch (RFC 7386), as in Argo CD. */
  patchType?: string;
  appNamespace?: string;
  project?: string;
}

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

export interface LogEntry {
  content: string;
  timeStamp?: string;
  timeStampStr?: string;
  podName: string;
  last: boolean;
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

export interface Links {
  items: { title: string; url: string; description?: string; iconClass?: string }[];
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

export interface ResourceActionRequest {
  action: string;
  namespace?: string;
  resourceName: string;
  version: string;
  group?: string;
  kind: string;
  appNamespace?: string;
  project?: string;
  resourceActionParameters?: { name: string; value: string }[];
}

/** core/v1 Event, the parts that people read. */
export interface KubeEvent {
  metadata: { name: string; namespace?: string; uid?: string; creationTimestamp?: string };
  type?: string;
  reason?: string;
  message?: string;
  count?: number;
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
  eventTime?: string | null;
  source?: { component?: string };
  involvedObject?: { kind?: string; namespace?: string; name?: string; uid?: string };
}

export type KubeEventList = ListOf<KubeEvent>;
