import {
  type Application,
  decidedOption,
  readSyncOptions,
  type SyncOptionName,
  type SyncOptionRecord,
  syncOptionList,
  withSyncOption,
} from "@capstan/model";
import type { SyncPlanPreview, SyncRequest } from "@capstan/wire";
import { readResourceKey } from "../../resource-id.ts";
import { objectCount } from "../application-facts.ts";

/** What a person chooses in the dialog. */
export interface SyncChoices {
  readonly revision: string;
  readonly prune: boolean;
  readonly dryRun: boolean;
  readonly force: boolean;
  readonly skipHooks: boolean;
  /** Sync options that the dialog shows, by name. */
  readonly options: ReadonlyMap<SyncOptionName, boolean>;
  readonly retry: boolean;
  /** Keys of the only objects that are synced; empty: all. */
  readonly objects: readonly string[];
}

/** The sync options that the dialog asks for: those with a label. */
export const askedOptions: readonly (readonly [SyncOptionName, SyncOptionRecord])[] = syncOptionList.filter(
  ([, { label }]) => label !== undefined,
);

export function firstChoices(app: Application): SyncChoices {
  const options = readSyncOptions(app.spec.syncPolicy?.syncOptions);
  return {
    revision: "",
    prune: app.spec.syncPolicy?.automated?.prune ?? false,
    dryRun: false,
    force: false,
    skipHooks: false,
    options: new Map(askedOptions.map(([name]) => [name, decidedOption(options, name) === true])),
    retry: false,
    objects: [],
  };
}

/** The options of the request replace those of the application, so the others are sent along unchanged. */
export function syncRequest(app: Application, choices: SyncChoices): SyncRequest {
  const first = firstChoices(app).options;
  const changed = [...choices.options].filter(([name, chosen]) => first.get(name) !== chosen);
  const items = changed.reduce(
    (list: readonly string[], [name, chosen]) => withSyncOption(list, name, chosen),
    app.spec.syncPolicy?.syncOptions ?? [],
  );
  const force = choices.force ? { force: true } : {};
  return {
    prune: choices.prune,
    dryRun: choices.dryRun,
    strategy: choices.skipHooks ? { apply: force } : { hook: force },
    syncOptions: { items: [...items] },
    ...(choices.revision && { revision: choices.revision }),
    ...(choices.objects.length > 0 && { resources: choices.objects.map(readResourceKey) }),
    ...(choices.retry && {
      retryStrategy: { limit: 5, backoff: { duration: "5s", factor: 2, maxDuration: "3m" } },
    }),
  };
}

/** What is known of a plan: it is made, it is being made, or it cannot be made. */
export type PlanState = SyncPlanPreview | "waiting" | "absent";

/**
 * The button names what cannot be undone: "Sync, delete 2 objects"; where there is no plan of these choices that too,
 * and it asks for a second look.
 */
export function syncVerb(choices: SyncChoices, state: PlanState): { text: string; danger: boolean } {
  if (choices.dryRun) return { text: "Dry run", danger: false };
  const plan = typeof state === "string" ? undefined : state;
  const deletes = plan?.counts.delete ?? 0;
  const replaces = plan?.steps.filter(({ act }) => act === "replace").length ?? 0;
  const parts = [
    choices.prune && !plan ? "prune" : "",
    choices.options.get("Replace") && !plan ? "replace" : "",
    deletes > 0 ? `delete ${deletes} ${deletes === 1 ? "object" : "objects"}` : "",
    replaces > 0 ? `replace ${replaces} ${replaces === 1 ? "object" : "objects"}` : "",
    choices.force ? "force" : "",
  ].filter((part) => part !== "");
  const what = choices.objects.length === 0 ? "Sync" : `Sync ${objectCount(choices.objects.length)}`;
  const first = state === "absent" ? `${what} without plan` : what;
  return { text: [first, ...parts].join(", "), danger: parts.length > 0 || state === "absent" };
}

/** As `syncVerb`, of the way back. */
export function rollbackVerb(prune: boolean, state: PlanState): { text: string; danger: boolean } {
  const first = state === "absent" ? "Roll back without plan" : "Roll back";
  if (typeof state === "string")
    return { text: prune ? `${first}, prune` : first, danger: prune || state === "absent" };
  const deletes = state.counts.delete;
  if (deletes === 0) return { text: first, danger: false };
  return { text: `${first}, delete ${deletes} ${deletes === 1 ? "object" : "objects"}`, danger: true };
}
