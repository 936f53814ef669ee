import { type Application, healthRank } from "@capstan/model";
import { healthLook, phaseLook, type StateLook, syncLook } from "../primitives/states.ts";
import { resourceTitle } from "../resource-id.ts";
import { shortRevision } from "./application-facts.ts";
import { flatten, infoValue, type TreeItem, type TreeRoot } from "./tree/tree-items.ts";

/** One clause of the sentence on top of an application. */
export interface Clause {
  readonly look: StateLook;
  readonly text: string;
  /** Since when. */
  readonly at?: string | undefined;
  /** Key of the object to look at. */
  readonly resource?: string | undefined;
}

/** What is the state, since when, because of what. */
export function describeApplication(app: Application, root: TreeRoot): Clause[] {
  const operation = operationClause(app);
  return [syncClause(app), ...(operation ? [operation] : []), healthClause(app, root)];
}

function revisionText(app: Application): string {
  const sync = app.status?.sync;
  const all = sync?.revisions?.length ? sync.revisions : [sync?.revision ?? ""];
  return all
    .filter((revision) => revision !== "")
    .map(shortRevision)
    .join(", ");
}

function syncClause(app: Application): Clause {
  const status = app.status?.sync?.status;
  const look = syncLook(status);
  const revision = revisionText(app);
  const deployed = app.status?.history?.at(-1)?.deployedAt;
  if (status === "Synced") return { look, text: revision ? `Synced to ${revision}` : "Synced", at: deployed };
  if (status !== "OutOfSync") return { look, text: "Sync state unknown" };
  const changed = (app.status?.resources ?? []).filter((resource) => resource.status === "OutOfSync");
  const prune = changed.filter((resource) => resource.requiresPruning).length;
  const parts = [
    countText(changed.length - prune, "object differs", "objects differ"),
    countText(prune, "to prune", "to prune"),
  ];
  const what = parts.filter((part) => part !== "").join(", ");
  return { look, text: `OutOfSync${revision ? ` with ${revision}` : ""}${what ? `: ${what}` : ""}` };
}

function countText(count: number, one: string, many: string): string {
  if (count === 0) return "";
  return `${count} ${count === 1 ? one : many}`;
}

function operationClause(app: Application): Clause | undefined {
  const state = app.status?.operationState;
  if (!state) return app.operation ? { look: phaseLook("Running"), text: "Sync asked for" } : undefined;
  const look = phaseLook(state.phase);
  if (state.phase === "Running" || state.phase === "Terminating") {
    return { look, text: `${look.word}${state.message ? `: ${state.message}` : ""}`, at: state.startedAt };
  }
  if (state.phase === "Succeeded") return undefined;
  return { look, text: `Last sync failed${state.message ? `: ${state.message}` : ""}`, at: state.finishedAt };
}

function healthClause(app: Application, root: TreeRoot): Clause {
  const health = app.status?.health;
  const look = healthLook(health?.status);
  const at = health?.lastTransitionTime;
  if (health?.status === "Healthy") return { look, text: "Healthy", at };
  const culprit = findCulprit(root, health?.status);
  if (!culprit) return { look, text: health?.message ? `${look.word}: ${health.message}` : look.word, at };
  const because = causeOf(culprit);
  const text = `${look.word}: ${resourceTitle(culprit.resource)}${because ? `, ${because}` : ""}`;
  return { look, text, at, resource: (unwellPod(culprit) ?? culprit).key };
}

function findCulprit(root: TreeRoot, status: string | undefined): TreeItem | undefined {
  const rank = healthRank(status);
  return root.items.find((item) => item.health === status) ?? root.items.find((item) => item.worst === rank);
}

function unwellPods(item: TreeItem): TreeItem[] {
  return flatten(item.children).filter(
    (entry) => entry.resource.kind === "Pod" && healthRank(entry.health) < healthRank("Suspended"),
  );
}

function unwellPod(item: TreeItem): TreeItem | undefined {
  return unwellPods(item)[0];
}

/** "1 of 3 Pods CrashLoopBackOff", or what the object says of itself. */
function causeOf(item: TreeItem): string {
  const pods = flatten(item.children).filter(({ resource }) => resource.kind === "Pod");
  const unwell = unwellPods(item);
  const first = unwell[0];
  if (!first) return item.message;
  const reason = infoValue(first, "Status Reason") ?? first.message ?? "";
  return `${unwell.length} of ${pods.length} ${pods.length === 1 ? "Pod" : "Pods"} ${reason || first.health}`;
}

export interface ConditionText {
  readonly title: string;
  readonly next: string;
  readonly bad: boolean;
}

const conditionTexts: Record<string, Omit<ConditionText, "bad">> = {
  ComparisonError: {
    title: "The source could not be rendered or compared",
    next: "Correct what the message names, push, and refresh. A hard refresh renders anew, past the cache.",
  },
  InvalidSpecError: {
    title: "The application's own settings are not valid",
    next: "Correct the field in the Application; nothing is compared or synced until then.",
  },
  SyncError: {
    title: "Automatic sync failed and waits",
    next: "Read the result under History; a new commit or a sync by hand tries again.",
  },
  DeletionError: { title: "Deletion does not get on", next: "Remove what holds the object named here." },
  UnknownError: {
    title: "Something unexpected went wrong",
    next: "Refresh; if it stays, read the controller's log.",
  },
  SharedResourceWarning: {
    title: "Another application claims the same object",
    next: "Take the object out of one of the two sources.",
  },
  RepeatedResourceWarning: {
    title: "The source holds the same object more than once",
    next: "The last one is used. Remove the others.",
  },
  ExcludedResourceWarning: {
    title: "The source holds objects that are excluded by the settings",
    next: "They are left alone. Remove them or change resource.exclusions.",
  },
  NotHonoured: {
    title: "A setting has no effect",
    next: "",
  },
  NotHonouredError: {
    title: "Not synced: what is set to protect it is not honoured yet",
    next: "Do what the message says; a comparison is still made.",
  },
  UnreadableResourceWarning: {
    title: "Some objects cannot be read in the cluster",
    next: "Let the account of the cluster list and watch their kind, or exclude it by resource.exclusions.",
  },
  RevisionMovedWarning: {
    title: "A tag, or a chart's version, means something else than when it was deployed",
    next: "Look at the diff. Where nobody should move it, name the commit or digest.",
  },
  OrphanedResourceWarning: {
    title: "The namespace holds objects that no application has",
    next: "Delete them, or add them to the project's list of what to ignore.",
  },
};

export function conditionText(type: string): ConditionText {
  const bad = type.endsWith("Error");
  const known = conditionTexts[type];
  return known ? { ...known, bad } : { title: type, next: "", bad };
}
