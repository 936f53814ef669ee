import { boolean, integer, list, map, object, optional, type Static, string } from "../schema/schema.ts";
import { applicationSourceSchema, sourceHydratorSchema } from "./source.ts";

export const destinationSchema = object({
  server: optional(string({ description: "URL of the cluster's API server; xor name" })),
  name: optional(string({ description: "Name of the cluster; xor server" })),
  namespace: optional(string({ description: "For namespaced objects that name none" })),
});
export type ApplicationDestination = Static<typeof destinationSchema>;

export const retrySchema = object({
  limit: optional(integer({ description: "Negative: no limit" })),
  refresh: optional(boolean({ description: "Take the newest revision on each retry" })),
  backoff: optional(
    object({
      duration: optional(string()),
      factor: optional(integer()),
      maxDuration: optional(string()),
    }),
  ),
});
export type RetryStrategy = Static<typeof retrySchema>;

export const managedNamespaceMetadataSchema = object({
  labels: optional(map(string())),
  annotations: optional(map(string())),
});

export const syncPolicySchema = object({
  automated: optional(
    object({
      enabled: optional(boolean()),
      prune: optional(boolean()),
      selfHeal: optional(boolean()),
      allowEmpty: optional(boolean()),
    }),
  ),
  syncOptions: optional(list(string())),
  retry: optional(retrySchema),
  managedNamespaceMetadata: optional(managedNamespaceMetadataSchema),
});
export type SyncPolicy = Static<typeof syncPolicySchema>;

export const ignoreDifferencesSchema = object({
  group: optional(string()),
  kind: string(),
  name: optional(string()),
  namespace: optional(string()),
  jsonPointers: optional(list(string())),
  jqPathExpressions: optional(list(string())),
  managedFieldsManagers: optional(list(string())),
});
export type ResourceIgnoreDifferences = Static<typeof ignoreDifferencesSchema>;

export const infoSchema = object({ name: string(), value: string() });

export const applicationSpecSchema = object({
  project: string({ description: "Empty means default" }),
  source: optional(applicationSourceSchema),
  sources: optional(list(applicationSourceSchema)),
  sourceHydrator: optional(sourceHydratorSchema),
  destination: destinationSchema,
  syncPolicy: optional(syncPolicySchema),
  ignoreDifferences: optional(list(ignoreDifferencesSchema)),
  info: optional(list(infoSchema)),
  revisionHistoryLimit: optional(integer({ description: "Default 10; 0 keeps nothing" })),
});
export type ApplicationSpec = Static<typeof applicationSpecSchema>;
