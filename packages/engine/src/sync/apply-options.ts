import {
  type Manifest,
  type Operation,
  resourceSyncOptions,
  type SyncOptions,
  syncOption,
} from "@capstan/model";
import type { ApplyOptions, PropagationPolicy } from "./sync-plan.ts";

interface ApplyInput {
  target: Manifest;
  live: Manifest | undefined;
  operation: Operation;
  options: SyncOptions;
}

/**
 * Server-side apply unless told otherwise (design.md §5). Force, alone among these options, has no meaning in the
 * application's list: there the operation's strategy says it (argocd-crds.md §1.3).
 */
export function applyOptions({ target, live, operation, options }: ApplyInput): ApplyOptions {
  const own = resourceSyncOptions(target);
  const present = resourceSyncOptions(live);
  const strategy = operation.sync?.syncStrategy;
  const replace = syncOption("Replace", own, options) === "true" || syncOption("Replace", present) === "true";
  return {
    serverSide: !replace && syncOption("ServerSideApply", own, options) !== "false",
    replace,
    force:
      own.has("Force=true") ||
      present.has("Force=true") ||
      strategy?.apply?.force === true ||
      strategy?.hook?.force === true,
    validate: syncOption("Validate", own, options) !== "false",
    migrateClientSideApply: !options.has("ClientSideApplyMigration=false"),
  };
}

export function propagationPolicy(options: SyncOptions): PropagationPolicy {
  const policy = syncOption("PrunePropagationPolicy", options);
  if (policy === "background") return "Background";
  return policy === "orphan" ? "Orphan" : "Foreground";
}
