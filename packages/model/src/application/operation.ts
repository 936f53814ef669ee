import { boolean, integer, list, object, optional, type Static, string } from "../schema/schema.ts";
import { applicationSourceSchema } from "./source.ts";
import { infoSchema, retrySchema } from "./spec.ts";

export const syncResourceSchema = object({
  group: optional(string()),
  kind: string(),
  name: string(),
  namespace: optional(string({ description: "Empty matches any" })),
});
export type SyncOperationResource = Static<typeof syncResourceSchema>;

const force = { force: optional(boolean()) };

export const syncStrategySchema = object({
  apply: optional(object(force, { description: "No hooks" })),
  hook: optional(object(force)),
});

export const syncOperationSchema = object({
  revision: optional(string()),
  revisions: optional(list(string())),
  source: optional(applicationSourceSchema),
  sources: optional(list(applicationSourceSchema)),
  resources: optional(list(syncResourceSchema)),
  prune: optional(boolean()),
  dryRun: optional(boolean()),
  syncOptions: optional(list(string())),
  manifests: optional(list(string())),
  syncStrategy: optional(syncStrategySchema),
  autoHealAttemptsCount: optional(integer()),
});
export type SyncOperation = Static<typeof syncOperationSchema>;

export const operationInitiatorSchema = object({
  username: optional(string()),
  automated: optional(boolean()),
});

export const operationSchema = object({
  sync: optional(syncOperationSchema),
  initiatedBy: optional(operationInitiatorSchema),
  info: optional(list(infoSchema)),
  retry: optional(retrySchema),
});
export type Operation = Static<typeof operationSchema>;
