export {
  annotationKeys,
  fieldManager,
  finalizers,
  inClusterName,
  inClusterServer,
  isSkipped,
  labelKeys,
  pluginTokenSecret,
} from "./annotations.ts";
export { type Application, argoApiVersion } from "./application/application.ts";
export { type ApplicationRow, applicationRow, searchTextOfRow } from "./application/application-row.ts";
export { failureCause } from "./application/failure-cause.ts";
export { withHealthCause } from "./application/health-cause.ts";
export { normalizeApplicationSpec } from "./application/normalize-spec.ts";
export type { Operation, SyncOperation, SyncOperationResource } from "./application/operation.ts";
export { operationStanding } from "./application/operation-standing.ts";
export {
  comparedRevisions,
  hasMultipleSources,
  instanceName,
  isAutomated,
  isGitSource,
  operationSources,
  projectOf,
  readInstanceName,
  revisionFields,
  sourceFields,
  sourcesOf,
} from "./application/read-application.ts";
export { destinationCluster, searchTextOf, wordSearch } from "./application/search-application.ts";
export {
  type ApplicationSource,
  applicationSourceSchema,
  type DirectorySource,
  type HelmSource,
  type KustomizePatch,
  type KustomizeSource,
  type PluginParameter,
  type PluginSource,
} from "./application/source.ts";
export type {
  ApplicationDestination,
  ApplicationSpec,
  ResourceIgnoreDifferences,
  RetryStrategy,
  SyncPolicy,
} from "./application/spec.ts";
export {
  healthOrder,
  healthRank,
  problemOf,
  stateRank,
  syncOrder,
  syncRank,
} from "./application/state-order.ts";
export {
  type ApplicationCondition,
  type ApplicationStatus,
  type ApplicationSummary,
  type HealthStatus,
  type HealthStatusCode,
  healthStatusCodes,
  type OperationPhase,
  type OperationState,
  type ResourceResult,
  type ResourceStatus,
  type ResultCode,
  type RevisionHistory,
  type SyncOperationResult,
  type SyncPhase,
  type SyncStatus,
  type SyncStatusCode,
  syncPhases,
} from "./application/status.ts";
export {
  isApplication,
  isLiveApplication,
  readApplication,
  validateApplication,
} from "./application/validate-application.ts";
export { allGenerators, gitGeneratorsOf } from "./application-set/all-generators.ts";
export {
  type ApplicationSet,
  type ApplicationSetCondition,
  deletionHeldCondition,
} from "./application-set/application-set.ts";
export type {
  ApplicationSetGenerator,
  NestedGenerator,
  TerminalGenerator,
} from "./application-set/generators.ts";
export {
  isApplicationSet,
  isLiveSet,
  validateApplicationSet,
} from "./application-set/validate-application-set.ts";
export type { ClusterReach } from "./cluster-reach.ts";
export { type ApplicationConditionType, blocksSync, type Condition, mergeConditions } from "./conditions.ts";
export { crds } from "./crds.ts";
export { CapstanError, isCapstanError, messageOf } from "./failures/capstan-error.ts";
export { describeFailure, describeProblem } from "./failures/describe-failure.ts";
export type { Failure, FailureCode, ForbiddenBecause, KindRule } from "./failures/failure.ts";
export { fileSchema, type SchemaName, schemaNames } from "./file-schemas.ts";
export {
  type ImagesVerification,
  type ImageUpdater,
  type ImageUpdaterStatus,
  type ImageUpdateSettings,
  type ImageWriteBack,
  imageUpdaterApiVersion,
  imageUpdaterGroup,
  isImageUpdater,
  isLiveUpdater,
  type UpdaterApplicationRef,
  type UpdaterImage,
} from "./image-updater/image-updater.ts";
export { withLines } from "./manifest/field-lines.ts";
export { parseGivenManifest, parseGivenManifests } from "./manifest/given-manifests.ts";
export {
  ManifestReader,
  parseManifests,
  parsePlacedManifests,
  parseYaml,
  parseYamlDocuments,
} from "./manifest/yaml.ts";
export {
  isManifest,
  type ManagedFieldsEntry,
  type Manifest,
  type OwnerReference,
  saidMetadata,
} from "./manifest.ts";
export {
  type ConfigManagementPlugin,
  type ParameterAnnouncement,
  type PluginCommand,
  parameterAnnouncementSchema,
} from "./plugin/config-management-plugin.ts";
export { formerPluginsKey, readFormerPlugins } from "./plugin/former-plugins.ts";
export { type Pipeline, type PipelineStage, pipelineApiVersion } from "./plugin/pipeline.ts";
export {
  isBuiltInTool,
  isPipeline,
  readConfigManagementPlugin,
  readPipeline,
  stageName,
  validateConfigManagementPlugin,
  validatePipeline,
} from "./plugin/validate-plugin.ts";
export type {
  AppProject,
  AppProjectSpec,
  ClusterResourceRule,
  GroupKindRule,
  SyncWindow,
} from "./project/app-project.ts";
export {
  allSecretStores,
  defaultSecretStores,
  type SecretStores,
  storesFor,
} from "./project/secret-stores.ts";
export { isAppProject, validateAppProject } from "./project/validate-project.ts";
export {
  defaultRemovalBudget,
  deletionBudgetOf,
  pruneBudgetOf,
  type RemovalBudget,
  readRemovalBudget,
  removalBudgetProblem,
} from "./removal-budget.ts";
export { folderOf } from "./repository/folder-of.ts";
export {
  hasCredentials,
  inheritCredentials,
  steeringFields,
  templateFor,
} from "./repository/inherit-credentials.ts";
export { allFolders, type LocalFolders } from "./repository/local-folders.ts";
export { type RemoteTrust, withTrust } from "./repository/remote-trust.ts";
export { credentialFields, type Repository } from "./repository/repository.ts";
export {
  type BareAddress,
  bestTemplate,
  fitOfTemplate,
  isSameRepository,
  readRepositoryAddress,
  withoutUserinfo,
  withoutUserinfos,
} from "./repository/repository-address.ts";
export { entryFor, isChartName, meansAddress, permitsAddress } from "./repository/source-rules.ts";
export {
  apiVersionOf,
  formatKey,
  groupOf,
  keyOf,
  keyText,
  type ResourceKey,
  sameKey,
  versionOf,
} from "./resource-key.ts";
export type {
  ApplicationTree,
  HostInfo,
  HostResourceInfo,
  InfoItem,
  LoadBalancerIngress,
  ResourceDiff,
  ResourceNetworkingInfo,
  ResourceNode,
  ResourceRef,
} from "./resource-tree.ts";
export { checkShape } from "./schema/check-shape.ts";
export { jsonSchema } from "./schema/json-schema.ts";
export { foldStringData } from "./secret-data.ts";
export type { ApplyMode } from "./sync-options/apply-mode.ts";
export {
  annotationList,
  decidedOption,
  objectSyncOptions,
  readSyncOptions,
  type SyncOptions,
} from "./sync-options/read-sync-options.ts";
export {
  type SyncOptionName,
  type SyncOptionRecord,
  syncOptionList,
} from "./sync-options/sync-option-records.ts";
export {
  formatSyncOption,
  withoutSyncOption,
  withSyncOption,
  writableSyncOptions,
} from "./sync-options/write-sync-options.ts";
export { formatTrackingId, parseTrackingId } from "./tracking-id.ts";
export { mistakesOf, readNoun, warningsOf } from "./validation.ts";
