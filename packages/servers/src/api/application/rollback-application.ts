import {
  type Application,
  CapstanError,
  isAutomated,
  type Operation,
  operationSources,
  type RevisionHistory,
  type SyncOperation,
} from "@capstan/model";
import type { RollbackRequest } from "@capstan/wire";
import type { HandlerOf } from "../../call.ts";
import type { ApiContext } from "../context.ts";
import { findApplication } from "./find-application.ts";
import { requireSource } from "./render-application.ts";
import { startOperation } from "./start-operation.ts";

type Needs = Pick<ApiContext, "live" | "kube" | "rights" | "controlNamespace" | "clock" | "settings">;

/** A sync to what the history holds, without hooks and without retries (Argo CD server/application.go Rollback). */
export function rollbackApplication(context: Needs): HandlerOf<"rollbackApplication"> {
  return async (request, { user, signal }) => {
    const action = context.settings.current.general.rollbackEnforced ? "rollback" : "sync";
    const app = await findApplication(context, { request, user, action, signal });
    const what = `application "${app.metadata.name}"`;
    if (app.metadata.deletionTimestamp)
      throw new CapstanError({ code: "FAILED_PRECONDITION", what, problem: "is being deleted" });
    if (isAutomated(app))
      throw new CapstanError({
        code: "FAILED_PRECONDITION",
        what,
        problem: "cannot be rolled back while automated sync is on, which would undo it; switch it off first",
      });
    const operation = rollbackOperation(app, request, user.name);
    for (const source of operationSources(app, operation)) requireSource(context, app, source);
    return startOperation(context, app, { operation, signal });
  };
}

export function rollbackOperation(
  app: Application,
  request: Pick<RollbackRequest, "id" | "prune" | "dryRun">,
  username: string,
): Operation {
  const { revision, revisions, source, sources } = findDeployment(app, request.id);
  const { syncOptions } = app.spec.syncPolicy ?? {};
  const sync: SyncOperation = {
    syncStrategy: { apply: {} },
    ...(revision ? { revision } : {}),
    ...(revisions ? { revisions } : {}),
    ...(source ? { source } : {}),
    ...(sources ? { sources } : {}),
    ...(request.prune ? { prune: true } : {}),
    ...(request.dryRun ? { dryRun: true } : {}),
    ...(syncOptions ? { syncOptions } : {}),
  };
  return { sync, initiatedBy: { username } };
}

/** Without an id, the deployment before the newest. */
function findDeployment(app: Application, id: number | undefined): RevisionHistory {
  const history = app.status?.history ?? [];
  const found = id === undefined ? history.at(-2) : history.find((entry) => entry.id === id);
  if (found) return found;
  const known = history.map((entry) => entry.id).join(", ");
  const which = id === undefined ? "has no earlier deployment" : `has no deployment with id ${id}`;
  throw new CapstanError({
    code: "INVALID_ARGUMENT",
    field: "id",
    problem: `application "${app.metadata.name}" ${which}; its history holds: ${known || "nothing"}`,
  });
}
