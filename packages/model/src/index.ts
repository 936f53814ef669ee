export {
  canonicalJson,
  equalJson,
  isRecord,
  parseBoundedJson,
  parseJson,
  stringifyJson,
  surveyJson,
} from "@capstan/formats";
export * from "./annotations.ts";
export * from "./application/application.ts";
export * from "./application/operation.ts";
export * from "./application/read-application.ts";
export * from "./application/source.ts";
export * from "./application/spec.ts";
export * from "./application/status.ts";
export * from "./application/validate-application.ts";
export * from "./application/validate-source.ts";
export * from "./application-set/application-set.ts";
export * from "./application-set/generators.ts";
export * from "./application-set/providers.ts";
export * from "./application-set/validate-application-set.ts";
export * from "./conditions.ts";
export * from "./crds.ts";
export * from "./failures/capstan-error.ts";
export * from "./failures/describe-failure.ts";
export * from "./failures/failure.ts";
export * from "./format/given-manifests.ts";
export * from "./format/printable.ts";
export { formatTime, parseTime } from "./format/time.ts";
export * from "./format/trim.ts";
export * from "./format/yaml.ts";
export * from "./manifest.ts";
export { parseBoolean } from "./parse-boolean.ts";
export * from "./plugin/config-management-plugin.ts";
export * from "./plugin/former-plugins.ts";
export * from "./plugin/pipeline.ts";
export * from "./plugin/validate-plugin.ts";
export * from "./project/app-project.ts";
export * from "./project/secret-stores.ts";
export * from "./project/validate-project.ts";
export * from "./repository/folder-of.ts";
export * from "./repository/inherit-credentials.ts";
export * from "./repository/local-folders.ts";
export * from "./repository/repository.ts";
export * from "./repository/repository-address.ts";
export * from "./repository/source-rules.ts";
export * from "./resource-key.ts";
export * from "./resource-tree.ts";
export { checkShape, closest } from "./schema/check-shape.ts";
export type { Schema, Shape, Static } from "./schema/schema.ts";
export { foldStringData } from "./secret-data.ts";
export type { ApplyMode } from "./sync-options/apply-mode.ts";
export {
  annotationList,
  decidedOption,
  objectSyncOptions,
  readSyncOptions,
  type SyncOptions,
} from "./sync-options/read-sync-options.ts";
export { syncOptionProblem } from "./sync-options/sync-option-problem.ts";
export {
  type SyncOptionName,
  type SyncOptionRecord,
  syncOptionList,
  syncOptionRecords,
} from "./sync-options/sync-option-records.ts";
export {
  formatSyncOption,
  withSyncOption,
  writableSyncOptions,
} from "./sync-options/write-sync-options.ts";
export * from "./tracking-id.ts";
export * from "./validation.ts";
