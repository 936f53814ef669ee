import {
  boolean,
  integer,
  list,
  object,
  oneOf,
  optional,
  type Static,
  string,
  time,
} from "../schema/schema.ts";
import { operationInitiatorSchema, operationSchema } from "./operation.ts";
import { applicationSourceSchema, sourceHydratorSchema } from "./source.ts";
import { destinationSchema, ignoreDifferencesSchema, managedNamespaceMetadataSchema } from "./spec.ts";

/** From best to worst: gitops-engine pkg/health, healthOrder. */
export const healthStatusCodes = [
  "Healthy",
  "Suspended",
  "Progressing",
  "Missing",
  "Degraded",
  "Unknown",
] as const;
export type HealthStatusCode = (typeof healthStatusCodes)[number];

export const syncStatusCodes = ["Synced", "OutOfSync", "Unknown"] as const;
export type SyncStatusCode = (typeof syncStatusCodes)[number];

export const operationPhases = ["Running", "Terminating", "Succeeded", "Failed", "Error"] as const;
export type OperationPhase = (typeof operationPhases)[number];

export const resultCodes = ["Synced", "SyncFailed", "Pruned", "PruneSkipped"] as const;
export type ResultCode = (typeof resultCodes)[number];

export const syncPhases = ["PreSync", "Sync", "PostSync", "SyncFail"] as const;
export type SyncPhase = (typeof syncPhases)[number];

export const healthSchema = object({
  status: optional(oneOf(healthStatusCodes)),
  message: optional(string()),
  lastTransitionTime: optional(time()),
});
export type HealthStatus = Static<typeof healthSchema>;

export const resourceStatusSchema = object({
  group: optional(string()),
  version: optional(string()),
  kind: optional(string()),
  namespace: optional(string()),
  name: optional(string()),
  status: optional(oneOf(syncStatusCodes)),
  health: optional(healthSchema),
  hook: optional(boolean()),
  requiresPruning: optional(boolean()),
  requiresDeletionConfirmation: optional(boolean()),
  syncWave: optional(integer()),
});
export type ResourceStatus = Static<typeof resourceStatusSchema>;

export const comparedToSchema = object({
  source: optional(applicationSourceSchema),
  sources: optional(list(applicationSourceSchema)),
  destination: destinationSchema,
  ignoreDifferences: optional(list(ignoreDifferencesSchema)),
});

export const syncStatusSchema = object({
  status: oneOf(syncStatusCodes),
  revision: optional(string()),
  revisions: optional(list(string())),
  comparedTo: optional(comparedToSchema),
});
export type SyncStatus = Static<typeof syncStatusSchema>;

export const resourceResultSchema = object({
  group: string(),
  version: string(),
  kind: string(),
  namespace: string(),
  name: string(),
  status: optional(oneOf(resultCodes)),
  message: optional(string()),
  hookType: optional(string()),
  hookPhase: optional(oneOf(operationPhases)),
  syncPhase: optional(oneOf(syncPhases)),
  images: optional(list(string())),
});
export type ResourceResult = Static<typeof resourceResultSchema>;

/**
 * Capstan's own: by source, what a tag or a chart's version stood for at that time (a commit or a digest); "" where the
 * revision is itself one.
 */
const meanings = optional(list(string()));

export const syncResultSchema = object({
  revision: optional(string()),
  revisions: optional(list(string())),
  source: optional(applicationSourceSchema),
  sources: optional(list(applicationSourceSchema)),
  meanings,
  resources: optional(list(resourceResultSchema)),
  managedNamespaceMetadata: optional(managedNamespaceMetadataSchema),
});
export type SyncOperationResult = Static<typeof syncResultSchema>;

export const operationStateSchema = object({
  operation: operationSchema,
  phase: oneOf(operationPhases),
  message: optional(string()),
  startedAt: time(),
  finishedAt: optional(time()),
  retryCount: optional(integer()),
  syncResult: optional(syncResultSchema),
});
export type OperationState = Static<typeof operationStateSchema>;

export const revisionHistorySchema = object({
  id: integer(),
  revision: optional(string()),
  revisions: optional(list(string())),
  source: optional(applicationSourceSchema),
  sources: optional(list(applicationSourceSchema)),
  meanings,
  deployStartedAt: optional(time()),
  deployedAt: time(),
  initiatedBy: optional(operationInitiatorSchema),
});
export type RevisionHistory = Static<typeof revisionHistorySchema>;

export const applicationConditionSchema = object({
  type: string(),
  message: string(),
  lastTransitionTime: optional(time()),
});
export type ApplicationCondition = Static<typeof applicationConditionSchema>;

export const applicationSummarySchema = object({
  externalURLs: optional(list(string())),
  images: optional(list(string())),
  isAppOfApps: optional(boolean()),
});
export type ApplicationSummary = Static<typeof applicationSummarySchema>;

const hydrated = {
  drySHA: optional(string()),
  hydratedSHA: optional(string()),
  sourceHydrator: optional(sourceHydratorSchema),
};

export const sourceHydratorStatusSchema = object({
  currentOperation: optional(
    object({
      startedAt: optional(time()),
      finishedAt: optional(time()),
      phase: oneOf(["Hydrating", "Hydrated", "Failed"]),
      message: string(),
      ...hydrated,
    }),
  ),
  lastSuccessfulOperation: optional(object(hydrated)),
  lastComparedDryRevision: optional(string()),
});

export const applicationStatusSchema = object({
  sync: optional(syncStatusSchema),
  health: optional(healthSchema),
  resources: optional(list(resourceStatusSchema)),
  resourceHealthSource: optional(string()),
  history: optional(list(revisionHistorySchema)),
  conditions: optional(list(applicationConditionSchema)),
  operationState: optional(operationStateSchema),
  reconciledAt: optional(time()),
  observedAt: optional(time({ description: "Deprecated" })),
  sourceType: optional(string()),
  sourceTypes: optional(list(string())),
  controllerNamespace: optional(string()),
  summary: optional(applicationSummarySchema),
  sourceHydrator: optional(sourceHydratorStatusSchema),
});
export type ApplicationStatus = Static<typeof applicationStatusSchema>;
