import type { Application } from "@capstan/model";
import type { SyncPlanPreview, SyncRequest } from "@capstan/wire";

/** What a person chooses in the dialog. */
export interface SyncChoices {
  readonly revision: string;
  readonly prune: boolean;
  readonly dryRun: boolean;
  readonly force: boolean;
  readonly skipHooks: boolean;
  readonly onlyOutOfSync: boolean;
  readonly serverSide: boolean;
  readonly replace: boolean;
  readonly retry: boolean;
}

export function firstChoices(app: Application): SyncChoices {
  const options = app.spec.syncPolicy?.syncOptions ?? [];
  return {
    revision: "",
    prune: app.spec.syncPolicy?.automated?.prune ?? false,
    dryRun: false,
    force: false,
    skipHooks: false,
    onlyOutOfSync: options.includes("ApplyOutOfSyncOnly=true"),
    serverSide: options.includes("ServerSideApply=true"),
    replace: options.includes("Replace=true"),
    retry: false,
  };
}

const ours = ["ApplyOutOfSyncOnly", "ServerSideApply", "Replace"];

/** The options of the request replace those of the application, so the others are sent along unchanged. */
export function syncRequest(app: Application, choices: SyncChoices): SyncRequest {
  const kept = (app.spec.syncPolicy?.syncOptions ?? []).filter(
    (option) => !ours.some((name) => option.startsWith(`${name}=`)),
  );
  const chosen = [
    choices.onlyOutOfSync ? "ApplyOutOfSyncOnly=true" : "",
    choices.serverSide ? "ServerSideApply=true" : "",
    choices.replace ? "Replace=true" : "",
  ].filter((option) => option !== "");
  const force = choices.force ? { force: true } : {};
  return {
    prune: choices.prune,
    dryRun: choices.dryRun,
    strategy: choices.skipHooks ? { apply: force } : { hook: force },
    syncOptions: { items: [...kept, ...chosen] },
    ...(choices.revision && { revision: choices.revision }),
    ...(choices.retry && {
      retryStrategy: { limit: 5, backoff: { duration: "5s", factor: 2, maxDuration: "3m" } },
    }),
  };
}

/** The button names what cannot be undone: "Sync, delete 2 objects"; without the plan of these choices, "Sync, prune". */
export function syncVerb(
  choices: SyncChoices,
  plan: SyncPlanPreview | undefined,
): { text: string; danger: boolean } {
  if (choices.dryRun) return { text: "Dry run", danger: false };
  const deletes = plan?.counts.delete ?? 0;
  const replaces = plan?.steps.filter(({ act }) => act === "replace").length ?? 0;
  const parts = [
    choices.prune && !plan ? "prune" : "",
    choices.replace && !plan ? "replace" : "",
    deletes > 0 ? `delete ${deletes} ${deletes === 1 ? "object" : "objects"}` : "",
    replaces > 0 ? `replace ${replaces} ${replaces === 1 ? "object" : "objects"}` : "",
    choices.force ? "force" : "",
  ].filter((part) => part !== "");
  return { text: ["Sync", ...parts].join(", "), danger: parts.length > 0 };
}
