import { canSync, type SyncWindowVerdict, windowSubject } from "@capstan/engine";
import { type Application, CapstanError, projectOf, type SyncWindow } from "@capstan/model";
import type { SyncWindowState } from "@capstan/wire";
import type { HandlerOf } from "../../call.ts";
import { findRules } from "../access/find-project.ts";
import type { ApiContext } from "../context.ts";
import { findApplication } from "./find-application.ts";

type Needs = Pick<ApiContext, "live" | "controlNamespace" | "clock" | "settings">;

function judge(context: Needs, app: Application): SyncWindowVerdict | undefined {
  const project = findRules(context, projectOf(app));
  if (!project) return undefined;
  return canSync({ project, subject: windowSubject(app), nowMs: context.clock.now(), manual: true });
}

/** Why a manual sync may not start now; undefined when it may. */
export function syncWindowProblem(context: Needs, app: Application): string | undefined {
  const verdict = judge(context, app);
  return verdict?.canSync === false ? verdict.reason : undefined;
}

export function requireSyncWindow(context: Needs, app: Application): void {
  const problem = syncWindowProblem(context, app);
  if (problem) throw new CapstanError({ code: "SYNC_BLOCKED", application: app.metadata.name, problem });
}

export function getApplicationSyncWindows(
  context: Needs & Pick<ApiContext, "kube" | "rights">,
): HandlerOf<"getApplicationSyncWindows"> {
  return async (request, { user, signal }) => {
    const app = await findApplication(context, { request, user, action: "get", signal });
    const verdict = judge(context, app);
    return {
      canSync: verdict?.canSync ?? true,
      activeWindows: (verdict?.active ?? []).map(shown),
      assignedWindows: (verdict?.assigned ?? []).map(shown),
    };
  };
}

function shown({ kind = "", schedule = "", duration = "", manualSync = false }: SyncWindow): SyncWindowState {
  return { kind, schedule, duration, manualSync };
}
