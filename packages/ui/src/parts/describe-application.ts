import {
  type Application,
  failureCause,
  healthRank,
  operationStanding,
  type ResourceResult,
} from "@capstan/model";
import type { ApplicationSyncWindows } from "@capstan/wire";
import { healthLook, phaseLook, type StateLook, syncLook } from "../primitives/states.ts";
import { resourceKey, resourceTitle } from "../resource-id.ts";
import { objectCount, shortRevision } from "./application-facts.ts";
import { windowsClause } from "./describe-windows.ts";
import { flatten, infoValue, type TreeItem, type TreeRoot } from "./tree/tree-items.ts";

/** One clause of the sentence on top of an application. */
export interface Clause {
  readonly look: StateLook;
  readonly text: string;
  /** When what happened: "committed", "deployed"; a time to come has the word "in". */
  readonly times?: readonly ClauseTime[];
  /** Key of the object to look at. */
  readonly resource?: string | undefined;
}

export interface ClauseTime {
  readonly word: string;
  /** RFC 3339. */
  readonly at: string;
}

/** What the application and its tree do not tell. */
export interface Beside {
  /** Of the commit that it is compared with. */
  readonly committedAt?: string | undefined;
  readonly windows?: ApplicationSyncWindows | undefined;
}

/** What is the state, since when, because of what. */
export function describeApplication(app: Application, root: TreeRoot, beside: Beside = {}): Clause[] {
  const clauses = [
    deletionClause(app),
    syncClause(app, beside),
    operationClause(app),
    windowsClause(app, beside.windows),
    healthClause(app, root),
  ];
  return clauses.filter((clause) => clause !== undefined);
}

function deletionClause({ metadata }: Application): Clause | undefined {
  const at = metadata.deletionTimestamp;
  if (!at) return undefined;
  return {
    look: { glyph: "bin", word: "Deleting", tone: "bad" },
    text: "Is being deleted",
    times: since(at),
  };
}

const since = (at: string | null | undefined, word = ""): readonly ClauseTime[] => (at ? [{ word, at }] : []);

/** Each once, in their order: sources of one repository stand at one commit. */
function revisionText(app: Application): string {
  const sync = app.status?.sync;
  const all = sync?.revisions?.length ? sync.revisions : [sync?.revision ?? ""];
  return [...new Set(all.filter((revision) => revision !== "").map(shortRevision))].join(", ");
}

function syncClause(app: Application, { committedAt }: Beside): Clause {
  const status = app.status?.sync?.status;
  const look = syncLook(status);
  const revision = revisionText(app);
  const committed = since(committedAt, "committed");
  if (status === "Synced")
    return {
      look,
      text: revision ? `Synced to ${revision}` : "Synced",
      times: [...committed, ...deployedTimes(app)],
    };
  if (status !== "OutOfSync") return { look, text: unknownText(app) };
  const changed = (app.status?.resources ?? []).filter((resource) => resource.status === "OutOfSync");
  const prune = changed.filter((resource) => resource.requiresPruning).length;
  const parts = [
    countText(changed.length - prune, "object differs", "objects differ"),
    countText(prune, "to prune", "to prune"),
  ];
  const what = parts.filter((part) => part !== "").join(", ");
  const text = `OutOfSync${revision ? ` with ${revision}` : ""}${what ? `: ${what}` : ""}`;
  return { look, text, times: committed };
}

/** A commit that changed nothing here is compared with, and nothing is deployed for it. */
function deployedTimes(app: Application): readonly ClauseTime[] {
  const last = app.status?.history?.at(-1);
  if (!last) return [];
  const compared = app.status?.sync?.revisions ?? [app.status?.sync?.revision];
  const deployed = last.revisions ?? [last.revision];
  const isSame = compared.every((revision, index) => revision === deployed[index]);
  const from = shortRevision(deployed[0] ?? "");
  return since(last.deployedAt, isSame || !from ? "deployed" : `last deployed as ${from}`);
}

function unknownText({ status }: Application): string {
  const failed = status?.conditions?.find(({ type }) => type.endsWith("Error"));
  if (failed) return `Cannot be compared: ${failureCause(failed.message)}`;
  return status?.reconciledAt ? "Sync state unknown" : "Not compared yet";
}

function countText(count: number, one: string, many: string): string {
  if (count === 0) return "";
  return `${count} ${count === 1 ? one : many}`;
}

function operationClause(app: Application): Clause | undefined {
  const state = app.status?.operationState;
  const standing = operationStanding(app);
  const failed = phaseLook("Failed");
  switch (standing.kind) {
    case "none":
    case "succeeded":
      return undefined;
    case "asked":
      return { look: phaseLook("Running"), text: "Sync asked for" };
    case "running": {
      const look = phaseLook(state?.phase);
      const { attempt, message } = standing;
      const which = attempt ? `, attempt ${attemptText(attempt)} after a failure` : "";
      return {
        look,
        text: `${look.word}${which}${progressText(app)}${message ? `: ${message}` : ""}`,
        times: since(state?.startedAt),
      };
    }
    case "retrying":
      return {
        look: { ...failed, word: "Sync failing" },
        text: `Sync failing: ${failedPart(app) ?? failureCause(standing.message)} · attempt ${attemptText(standing.attempt)}`,
        times: since(standing.at, "in"),
        resource: failedKey(app),
      };
    case "failed":
      return {
        look: failed,
        text: `Last sync failed: ${failedPart(app) ?? failureCause(standing.message)}`,
        times: since(state?.finishedAt),
        resource: failedKey(app),
      };
  }
}

/** ", 4 of 9 objects, wave 2 of 3": how far it has come. */
function progressText({ status }: Application): string {
  const { operation, syncResult } = status?.operationState ?? {};
  const asked = operation?.sync?.resources;
  const chosen = asked?.length ? new Set(asked.map(({ kind, name }) => `${kind} ${name}`)) : undefined;
  const all = (status?.resources ?? []).filter(
    ({ hook, kind, name }) => !hook && (chosen?.has(`${kind} ${name}`) ?? true),
  );
  const waveOf = new Map(all.map((resource) => [resourceKey(resource), resource.syncWave ?? 0]));
  const done = (syncResult?.resources ?? []).filter((result) => waveOf.has(resourceKey(result)));
  if (done.length === 0 || done.length > all.length) return "";
  const waves = [...new Set(waveOf.values())].sort((left, right) => left - right);
  const last = Math.max(...done.map((result) => waveOf.get(resourceKey(result)) ?? 0));
  const wave = waves.length > 1 ? `, wave ${waves.indexOf(last) + 1} of ${waves.length}` : "";
  return `, ${done.length} of ${objectCount(all.length)}${wave}`;
}

function attemptText({ number, limit }: { number: number; limit: number | undefined }): string {
  return limit === undefined ? `${number}` : `${number} of ${limit}`;
}

/** The first object, hooks among them, with which the last sync failed. */
export function failedResult(app: Application): ResourceResult | undefined {
  return app.status?.operationState?.syncResult?.resources?.find(
    ({ status, hookPhase }) => status === "SyncFailed" || hookPhase === "Failed" || hookPhase === "Error",
  );
}

function failedKey(app: Application): string | undefined {
  const failed = isFailing(app) ? failedResult(app) : undefined;
  return failed && resourceKey(failed);
}

function isFailing(app: Application): boolean {
  return ["failed", "retrying"].includes(operationStanding(app).kind);
}

/** "PreSync hook Job migrate: Job has reached the specified backoff limit". */
function failedPart(app: Application): string | undefined {
  const failed = failedResult(app);
  if (!failed) return undefined;
  const title = `${failed.hookType ? `${failed.hookType} hook ` : ""}${resourceTitle(failed)}`;
  const cause = failureCause(failed.message ?? "");
  return cause ? `${title}: ${cause}` : `${title} failed`;
}

function healthClause(app: Application, root: TreeRoot): Clause | undefined {
  const health = app.status?.health;
  const look = healthLook(health?.status);
  const times = since(health?.lastTransitionTime);
  if (health?.status === "Healthy") return { look, text: "Healthy", times };
  // What is not compared has no health either: the reason stands there once.
  if (look.word === "Unknown" && !health?.message && app.status?.sync?.status !== "Synced") return undefined;
  const culprit = findCulprit(root, health?.status);
  if (!culprit) return { look, text: health?.message ? `${look.word}: ${health.message}` : look.word, times };
  const title = resourceTitle(culprit.resource);
  // It is not there because something before it has failed: that is where to look.
  const before = culprit.health === "Missing" ? failedKey(app) : undefined;
  if (before)
    return {
      look,
      text: `${look.word}: ${title}, kept from being made by the failed sync`,
      times,
      resource: before,
    };
  const because = causeOf(culprit);
  const text = `${look.word}: ${title}${because ? `, ${because}` : ""}`;
  return { look, text, times, resource: (unwellPod(culprit) ?? culprit).key };
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
