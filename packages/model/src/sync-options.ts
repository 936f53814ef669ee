import { annotationKeys } from "./annotations.ts";
import type { Manifest } from "./manifest.ts";

/** Sync options and the values that mean something (argocd-crds.md §1.3); only exact texts count. */
export const syncOptionValues = {
  Prune: ["false", "confirm"],
  Delete: ["false", "confirm"],
  PruneLast: ["true"],
  PrunePropagationPolicy: ["foreground", "background", "orphan"],
  Replace: ["true", "false"],
  Force: ["true"],
  ServerSideApply: ["true", "false"],
  ClientSideApplyMigration: ["false"],
  Validate: ["false"],
  SkipDryRunOnMissingResource: ["true"],
  ApplyOutOfSyncOnly: ["true"],
  CreateNamespace: ["true"],
  FailOnSharedResource: ["true"],
  RespectIgnoreDifferences: ["true"],
} as const;
export type SyncOptionName = keyof typeof syncOptionValues;

export type SyncOptions = ReadonlySet<string>;

export function readSyncOptions(options: readonly string[] | undefined): SyncOptions {
  return new Set((options ?? []).map((option) => option.trim()));
}

/** The comma list of an annotation of an object. */
export function annotationList(manifest: Manifest | undefined, key: string): SyncOptions {
  const text = manifest?.metadata.annotations?.[key];
  if (text === undefined || text === "") return new Set();
  return new Set(text.split(",").map((part) => part.trim()));
}

export function resourceSyncOptions(manifest: Manifest | undefined): SyncOptions {
  return annotationList(manifest, annotationKeys.syncOptions);
}

/** The value of an option: the annotation wins over the application's list. */
export function syncOption(
  name: SyncOptionName,
  resource: SyncOptions,
  application: SyncOptions = new Set(),
): string | undefined {
  return find(name, resource) ?? find(name, application);
}

function find(name: SyncOptionName, options: SyncOptions): string | undefined {
  const prefix = `${name}=`;
  for (const option of options) if (option.startsWith(prefix)) return option.slice(prefix.length);
  return undefined;
}
