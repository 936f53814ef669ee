export type { SlackThread } from "@capstan/notification-services";
export type { AskFreshness } from "./application-set/ask-needs.ts";
export { diffSet, type SetDiff, type SetDifference } from "./application-set/diff-set.ts";
export { forPeople, type GeneratedSet, generateSet } from "./application-set/generate-set.ts";
export {
  isRollingSet,
  isSetNamespace,
  ownedBy,
  planSet,
  type SetPlan,
  setPolicyOf,
} from "./application-set/plan-set.ts";
export { broughtManifests } from "./brought-manifests.ts";
export { applyModes, buildHooks, compareLive, type LiveComparison } from "./compare-live.ts";
export { ComparisonMemory } from "./comparison-memory.ts";
export { refusalText } from "./dry-runs.ts";
export { evaluateLinks, type LinkObjects } from "./evaluate-links.ts";
export { changesOrphans, countOrphans, findOrphans } from "./find-orphans.ts";
export { ImagePlans, imageSwitch } from "./image-updates/image-plans.ts";
export { imageTexts } from "./image-updates/image-texts.ts";
export { liveUpdaters } from "./image-updates/live-updaters.ts";
export { operatorLabel } from "./image-updates/pull-secrets.ts";
export type { JqDeletions } from "./jq-deletions.ts";
export { judgePruning } from "./judge-pruning.ts";
export { notificationSchemas } from "./notifications/notification-schemas.ts";
export type { NotificationSubject } from "./notifications/notification-variables.ts";
export { evaluateTrigger, printNotification } from "./notifications/print-notification.ts";
export {
  conditionsOf,
  type NotificationSetup,
  openServiceMemory,
  readNotifications,
  type ServiceSurroundings,
} from "./notifications/read-notifications.ts";
export { type AppDetails, appDetails, type RepoFactSource, RepoFacts } from "./notifications/repo-facts.ts";
export type { HealthOf } from "./object-health.ts";
export { openTenant } from "./open-tenant.ts";
export type { NewChange, NewRecord, OperationRecords, RecordedApp } from "./operation-records.ts";
export { operationRevisions, planOperation } from "./plan-operation.ts";
export { predictApply } from "./predict-apply.ts";
export { type Desired, renderDesired } from "./render-desired.ts";
export {
  apiVersionsOf,
  isRefOnly,
  type RenderInput,
  renderRequests,
  revisionRequest,
} from "./render-requests.ts";
export { openScripts, type Scripts } from "./scripts.ts";
export { serverLanes, serverOf } from "./server-lanes.ts";
export { type KnownDesired, stillDesired } from "./still-desired.ts";
export { refuseLocalManifests } from "./verify-sources.ts";
