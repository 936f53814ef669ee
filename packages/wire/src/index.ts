export type { AnswerIdentity, AnswerKey, IdentifyRequest } from "./answer-keys.ts";
export type { CommitSigning, FileEdit, FilesWritten, FileWriteRequest } from "./file-writes.ts";
export {
  type GitContent,
  type GitContentRequest,
  gitContentLimits,
  isMeantPath,
  objectsInFile,
  type PathPattern,
  refusedContent,
} from "./git-content.ts";
export type { PluginDevState } from "./plugin-dev.ts";
export type { PluginEndpoint, PluginService } from "./plugin-service.ts";
export type {
  LocalGitAddress,
  PluginServiceAccess,
  RepoServerSetup,
  RepoServerState,
  SecretRef,
} from "./repo-process.ts";
export type {
  ChangedFile,
  ChangedFilesRequest,
  DescribedStage,
  ExplainedStage,
  FilesChanged,
  ManifestRequest,
  ManifestResponse,
  MetadataRequest,
  PluginSummary,
  RenderExplanation,
  RenderedManifest,
  RenderNote,
  RenderSettings,
  RenderTimings,
  RepoServer,
  ResolvedRevision,
  RevisionMetadata,
  RevisionRequest,
  SignatureRequest,
  SourceDescription,
} from "./repo-server.ts";
export { type SubjectKind, subjectKinds } from "./rest/accounts.ts";
export type { ConnectionState, KubeEvent, KubeEventList, Links, ListMeta, ListOf } from "./rest/answers.ts";
export type { LogEntry, ResourceActionRequest } from "./rest/application-resources.ts";
export { type ApplicationRowsChange, applicationRowRoutes } from "./rest/application-rows.ts";
export type {
  ApplicationSetChange,
  ApplicationSetDiff,
  ApplicationSetWatchEvent,
} from "./rest/application-sets.ts";
export type {
  ApplicationSyncWindows,
  ApplicationWatchEvent,
  DescribedSource,
  ExplainedRender,
  RollbackRequest,
  SyncPlanRequest,
  SyncRequest,
  SyncWindowState,
} from "./rest/applications.ts";
export { buildRequest } from "./rest/build-request.ts";
export type { RepositoryCertificate } from "./rest/certificates.ts";
export type { ClusterConfig, RestCluster } from "./rest/clusters.ts";
export type { StreamError, StreamFrame } from "./rest/frames.ts";
export type { GnuPGPublicKey } from "./rest/gpg-keys.ts";
export type { ImageUpdate, ImageUpdates } from "./rest/image-updates.ts";
export type { ManyStreamsAnswer, ManyStreamsAsk } from "./rest/many-streams.ts";
export type { OperationChange, OperationObject, OperationRecord } from "./rest/operations.ts";
export { type PackedRows, packRows, unpackRows } from "./rest/packed-rows.ts";
export {
  pageProtocolPrefix,
  pageSecretHeader,
  streamsProtocol,
  terminalProtocol,
} from "./rest/page-secret.ts";
export { readMessage, readRequest, UnreadableRequest, valueAt } from "./rest/read-request.ts";
export type { RepoAppDetails, RestRepoCreds, RestRepository } from "./rest/repositories.ts";
export type { FoundResource } from "./rest/resources.ts";
export type { AnyRoute, InOf, OutOf, Route } from "./rest/route.ts";
export { everyRoute, type RouteName, type Routes, routes } from "./rest/routes.ts";
export { swagger } from "./rest/swagger.ts";
export type { SyncPlanPreview, SyncPlanStep } from "./rest/sync-plan.ts";
export { type TreeChange, treeChanges, withTreeChange } from "./rest/tree-changes.ts";
export type { ErrorBody } from "./status.ts";
