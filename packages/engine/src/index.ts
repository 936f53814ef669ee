export { actingAccount } from "./access/acting-account.ts";
export { applicationNamespaces, isApplicationNamespace } from "./access/application-scope.ts";
export { globalProjectsOf, sharedRules } from "./access/global-projects.ts";
export { withOwnResources } from "./access/own-resources.ts";
export { clusterRefusal, projectAccess } from "./access/permit.ts";
export { type PermittedSource, permitSharedSource, permitSource } from "./access/permit-source.ts";
export { projectInForce } from "./access/project-in-force.ts";
export { checkPermissions, permitsNamespace } from "./access/project-rules.ts";
export { type AccessProject, createEnforcer, type Enforcer } from "./access/rbac/enforcer.ts";
export { parsePolicy } from "./access/rbac/parse-policy.ts";
export {
  accessActions,
  accessResources,
  describeProblem,
  ownResources,
  type Policy,
  projectScopedResources,
} from "./access/rbac/policy.ts";
export { projectOfQuestion, readProjectPolicy } from "./access/rbac/project-policy.ts";
export { rolesWithoutRules } from "./access/rbac/roles-without-rules.ts";
export { demandsSignatures, signatureDemand } from "./access/signature-demand.ts";
export { canSync, isWindowActive, type SyncWindowVerdict, windowSubject } from "./access/sync-windows.ts";
export type { ImpactedObject } from "./actions/action.ts";
export { type OfferedAction, offeredActions, performBuiltIn } from "./actions/built-in-actions.ts";
export { buildTargets, type KindFacts, type Targets } from "./compare/build-targets.ts";
export {
  type ComparedResource,
  type Comparison,
  compareResources,
  pairResources,
  type ResourcePair,
} from "./compare/compare-resources.ts";
export {
  type ComparedBy,
  comparedBy,
  comparedByServer,
  idleCompareOptions,
} from "./compare/compared-by.ts";
export { formatAllowance, isRemovalCode, type RemovalVerdict } from "./consent/judge-removal.ts";
export { diffManifest } from "./diff/diff-manifest.ts";
export { type DiffResult, type DiffRules, defaultDiffRules } from "./diff/diff-rules.ts";
export { keepManaged } from "./diff/keep-managed.ts";
export { maskPaths, type ValuePath } from "./diff/mask-paths.ts";
export { mask, maskSecrets } from "./diff/mask-secrets.ts";
export { maskAllTexts, maskTexts, textsAt } from "./diff/mask-texts.ts";
export { appliesTo, ignoredManagers, normalize } from "./diff/normalize.ts";
export { withOwnChanges } from "./diff/own-changes.ts";
export { type BranchFilters, readBranchFilters } from "./generators/branch-filters.ts";
export { ElementMemory } from "./generators/element-memory.ts";
export type {
  AnswerTo,
  BranchesAnswer,
  BranchesQuestion,
  BranchFact,
  ClusterFacts,
  DecisionAnswer,
  DecisionQuestion,
  GitAnswer,
  GitQuestion,
  PluginAnswer,
  PluginQuestion,
  PullRequestsAnswer,
  PullRequestsQuestion,
  Question,
  QuestionKind,
} from "./generators/facts.ts";
export {
  type GeneratedApplication,
  type Generation,
  generateApplications,
} from "./generators/generate-applications.ts";
export { permitHost, providersOf, readHostRules } from "./generators/host-rules.ts";
export { needsJq } from "./generators/ignored-differences.ts";
export { judgeDeletions } from "./generators/judge-deletions.ts";
export { normalizeName } from "./generators/parameters.ts";
export {
  type ApplicationChange,
  type ApplicationPlan,
  controllerOf,
  keptBySet,
  planApplications,
  type SetPolicy,
} from "./generators/plan-applications.ts";
export { readSetPolicy, requeueAfterMs, usesClusters } from "./generators/set-schedule.ts";
export { slugOf } from "./generators/slug.ts";
export { fastTemplates, type Templates } from "./generators/templates.ts";
export { aggregateHealth } from "./health/aggregate-health.ts";
export { assessHealth, type CustomHealth } from "./health/assess-health.ts";
export { stuckReason } from "./health/stuck-pod.ts";
export { imageKey, nameOf, readImage, referenceOf, versionText } from "./image-updates/image-name.ts";
export {
  type BuildFacts,
  chooseTag,
  judgeTags,
  type PassedOver,
} from "./image-updates/judge-tags.ts";
export {
  changeText,
  type ImageChange,
  type ImageFinding,
  type ImagePlan,
  imageSource,
  planImageUpdates,
  printImagePlan,
} from "./image-updates/plan-image-updates.ts";
export {
  type RegistryEntry,
  readRegistries,
  registryAddress,
  registryOf,
} from "./image-updates/read-registries.ts";
export { imageSettings, type SourceSetting, withSettings } from "./image-updates/source-settings.ts";
export type {
  ImageRule,
  ImageTool,
  PullSecret,
  RequestHost,
  WriteBack,
} from "./image-updates/update-rules.ts";
export { rulesFor, updaterName, updaterProblem } from "./image-updates/updater-rules.ts";
export { hookDeletePolicies, hookTypesOf, isHook, isSkippedByHook } from "./marks/hooks.ts";
export { type ComparedViews, compareViews } from "./migration/compare-views.ts";
export { notificationCatalog } from "./notifications/catalog.ts";
export { isStatusCurrent } from "./notifications/is-status-current.ts";
export type {
  Destination,
  GlobalSubscription,
  NotificationCondition,
  NotificationEntry,
} from "./notifications/notification-entry.ts";
export {
  type ConditionResult,
  notifiedAnnotation,
  printNotified,
  readNotified,
} from "./notifications/notified-state.ts";
export { type PlannedDelivery, planNotifications } from "./notifications/plan-notifications.ts";
export { readEntry, readRecipient } from "./notifications/read-entry.ts";
export { fullNameByRepoUrl, repoUrlToHttps } from "./notifications/repo-names.ts";
export { destinationsOf } from "./notifications/subscriptions.ts";
export { nextDeletion } from "./rolling-sync/deletion-order.ts";
export { rollSet } from "./rolling-sync/roll-set.ts";
export {
  deletesInReverse,
  stepsOf,
  wantsRollingSync,
  withoutAutoSync,
} from "./rolling-sync/rolling-strategy.ts";
export { type Blocker, blockersOf } from "./settings/blockers.ts";
export { eventLabels } from "./settings/event-labels.ts";
export {
  applicationNotices,
  applicationSetNotices,
  objectNotices,
  projectNotices,
} from "./settings/notices.ts";
export { allSettings, settingsReport } from "./settings/report.ts";
export { childHealth } from "./sync/child-health.ts";
export { decideApply } from "./sync/decide-apply.ts";
export { decideAutoSync } from "./sync/decide-auto-sync.ts";
export { type DependencyHold, findDependencyHold } from "./sync/dependencies.ts";
export { judgePrunes, prunable } from "./sync/judge-prunes.ts";
export { isNamespaceObject } from "./sync/kind-order.ts";
export { nextStep } from "./sync/next-step.ts";
export { planDeletion } from "./sync/plan-deletion.ts";
export { nameHook } from "./sync/plan-hook.ts";
export { managedNamespace } from "./sync/plan-namespace.ts";
export { planSync } from "./sync/plan-sync.ts";
export { printPlan } from "./sync/print-plan.ts";
export { isRefusedFirst, recordOutcomes } from "./sync/record-outcomes.ts";
export { mayRetry, retryAtMs, retryDelayMs } from "./sync/retry.ts";
export type { HookAction, SyncAction, SyncOutcome, SyncPlan, SyncState, SyncTask } from "./sync/sync-plan.ts";
export { isCrd, isSelfReferenced, type Tracking, track, trackedInstance } from "./tracking/tracking.ts";
export { buildTree } from "./tree/build-tree.ts";
export { hostsOf } from "./tree/hosts.ts";
export { imagesOf } from "./tree/images.ts";
export { isSafeLink } from "./tree/networking.ts";
export { isIgnoredOrphan } from "./tree/orphans.ts";
export { treeSummary } from "./tree/tree-summary.ts";
