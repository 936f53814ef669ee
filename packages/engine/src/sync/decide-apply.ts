import {
  type Application,
  type ApplyMode,
  annotationKeys,
  type Manifest,
  type Operation,
  objectSyncOptions,
  type SyncOptions,
} from "@capstan/model";

export interface ApplyInput {
  app: Application;
  /** Of the operation; of the Application where none is at hand. */
  options: SyncOptions;
  operation?: Operation;
  target: Manifest;
  live: Manifest | undefined;
}

/** Whose fields are taken over where the Application does not name another manager (client-go util/csaupgrade). */
const kubectlManager = "kubectl-client-side-apply";

/**
 * How an object is written: by the server unless told otherwise (docs/decisions/0005-server-side-apply.md). Force in
 * the application's list means nothing: there the operation's strategy says it.
 */
export function decideApply({ app, options, operation, target, live }: ApplyInput): ApplyMode {
  const { replace, serverSideApply, force, validate, clientSideApplyMigration } = objectSyncOptions(
    options,
    target,
    live,
  );
  const strategy = operation?.sync?.syncStrategy;
  const manager = app.metadata.annotations?.[annotationKeys.clientSideApplyMigrationManager];
  return {
    method: replace ? "replace" : serverSideApply ? "server-side" : "client-side",
    force: force || strategy?.apply?.force === true || strategy?.hook?.force === true,
    validate,
    migrateFrom: clientSideApplyMigration ? (manager ?? kubectlManager) : undefined,
  };
}
