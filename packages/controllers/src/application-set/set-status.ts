import { applicationSetNotices, wantsRollingSync } from "@capstan/engine";
import { equalJson, formatTime } from "@capstan/formats";
import {
  type ApplicationSet,
  type ApplicationSetCondition,
  argoApiVersion,
  deletionHeldCondition,
  groupOf,
  versionOf,
} from "@capstan/model";
import { isRollingSet } from "@capstan/planning";
import type { SetNeeds, StoredApplication, StoredSet } from "./set-needs.ts";

/** How a look at a set ended, of which its conditions are made. */
export type SetVerdict = {
  /** What is not deleted until it is allowed, with the command that allows it. */
  readonly held?: string;
  /** How far its rollout is; undefined: as it was. */
  readonly rollout?: readonly Said[];
} & (
  | { readonly kind: "upToDate" }
  | {
      readonly kind: "failed";
      readonly reason: string;
      readonly message: string;
      readonly isGenerated: boolean;
    }
);

type Said = Omit<ApplicationSetCondition, "lastTransitionTime">;

const upToDate = "All applications have been generated successfully";

const rolloutTypes = ["RolloutProgressing", "InvalidRolloutConfig"];
const notRolling =
  "spec.strategy: progressive syncs are off, and its Applications are all written at once: set applicationsetcontroller.enable.progressive.syncs of argocd-cmd-params-cm to true";

/** The conditions that Argo CD's controller keeps (setApplicationSetStatusCondition), and Capstan's own. */
function conditionsFor(set: ApplicationSet, verdict: SetVerdict, isRolling: boolean): Said[] {
  const type = "NotHonoured";
  const unheard = wantsRollingSync(set) && !isRolling ? [notRolling] : [];
  const notices = [...applicationSetNotices(set), ...unheard].map((message) => ({
    type,
    status: "True",
    reason: type,
    message,
  }));
  const known = (set.status?.conditions ?? []).filter((one) => rolloutTypes.includes(one.type));
  const rollout = verdict.rollout ?? known.map(({ lastTransitionTime: _, ...rest }) => rest);
  return [...ownConditions(verdict), ...(isRolling ? rollout : []), ...heldDeletions(verdict), ...notices];
}

function heldDeletions({ held: message }: SetVerdict): Said[] {
  if (message === undefined) return [];
  return [{ type: deletionHeldCondition, status: "True", reason: "DeletionBudgetExceeded", message }];
}

function ownConditions(verdict: SetVerdict): Said[] {
  const failed = verdict.kind === "failed" ? verdict : undefined;
  const generated: Said =
    failed && !failed.isGenerated
      ? { type: "ParametersGenerated", status: "False", reason: "ErrorOccurred", message: failed.message }
      : {
          type: "ParametersGenerated",
          status: "True",
          reason: "ParametersGenerated",
          message: "Successfully generated parameters for all Applications",
        };
  if (failed)
    return [
      { type: "ErrorOccurred", status: "True", reason: failed.reason, message: failed.message },
      generated,
      { type: "ResourcesUpToDate", status: "False", reason: "ErrorOccurred", message: failed.message },
    ];
  const reason = "ApplicationSetUpToDate";
  const { held } = verdict;
  return [
    { type: "ErrorOccurred", status: "False", reason, message: upToDate },
    generated,
    held === undefined
      ? { type: "ResourcesUpToDate", status: "True", reason, message: upToDate }
      : { type: "ResourcesUpToDate", status: "False", reason: deletionHeldCondition, message: held },
  ];
}

/** What a message may take of a status. */
const maxMessage = 4_000;
const defaultMaxResources = 5_000;

/** Writes what has changed of a set's status, and nothing where nothing has. */
export async function tellStatus(
  needs: SetNeeds,
  {
    set,
    owned,
    verdict,
  }: { set: StoredSet; owned: readonly StoredApplication[]; verdict: SetVerdict | undefined },
  signal: AbortSignal,
): Promise<void> {
  const { client, live, clock, settings } = needs;
  const before = set.status ?? {};
  const most = Number(
    settings.current.params["applicationsetcontroller.status.max.resources.count"] ?? Number.NaN,
  );
  const rows = owned.map(resourceOf).sort((one, other) => (one.name < other.name ? -1 : 1));
  const isRolling = isRollingSet(settings.current, set);
  const status = {
    conditions: verdict
      ? merged(before.conditions ?? [], conditionsFor(set, verdict, isRolling), clock.now())
      : (before.conditions ?? []),
    resources: rows.slice(0, most > 0 ? most : defaultMaxResources),
    resourcesCount: rows.length,
  };
  const { conditions = [], resources = [], resourcesCount = 0, applicationStatus = [] } = before;
  const health = healthOf(status.conditions);
  // Where nobody keeps the health (Argo CD's own definition before 3.3), it is no reason to write again and again.
  const isHealthTold = before.health === undefined || equalJson(before.health, health);
  const isRolloutTold = isRolling || applicationStatus.length === 0;
  if (isRolloutTold && isHealthTold && equalJson(status, { conditions, resources, resourcesCount })) return;
  const { name, namespace } = set.metadata;
  const ref = { apiVersion: argoApiVersion, kind: "ApplicationSet", namespace, name };
  const written = await client.patch(
    ref,
    {
      type: "merge",
      body: { status: { ...status, health, ...(isRolling ? {} : { applicationStatus: null }) } },
    },
    { signal, subresource: "status" },
  );
  live.observe(written);
}

/** v1alpha1 ApplicationSetStatus.CalculateHealth. */
function healthOf(conditions: readonly ApplicationSetCondition[]) {
  const find = (type: string) => conditions.find((one) => one.type === type && one.status === "True");
  const [error, rolling, current] = [
    find("ErrorOccurred"),
    find("RolloutProgressing"),
    find("ResourcesUpToDate"),
  ];
  if (error) return { status: "Degraded", message: error.message };
  if (rolling) return { status: "Progressing", message: rolling.message };
  if (current) return { status: "Healthy", message: current.message };
  return { status: "Unknown", message: "Waiting for health status to be determined" };
}

/** What is the same as before keeps its time; conditions of other kinds go. */
function merged(
  before: readonly ApplicationSetCondition[],
  said: readonly Said[],
  now: number,
): ApplicationSetCondition[] {
  return said.map(({ message: whole, ...rest }) => {
    const message = whole.length > maxMessage ? `${whole.slice(0, maxMessage)} …` : whole;
    const former = before.find(
      (one) =>
        one.type === rest.type &&
        one.status === rest.status &&
        one.reason === rest.reason &&
        one.message === message,
    );
    const lastTransitionTime = former ? former.lastTransitionTime : formatTime(now);
    return { ...rest, message, ...(lastTransitionTime ? { lastTransitionTime } : {}) };
  });
}

type Row = NonNullable<NonNullable<ApplicationSet["status"]>["resources"]>[number];

function resourceOf({ apiVersion, kind, metadata, status }: StoredApplication): Row & { name: string } {
  const sync = status?.sync?.status;
  const health = status?.health?.status;
  return {
    group: groupOf(apiVersion),
    version: versionOf(apiVersion),
    kind,
    name: metadata.name,
    ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
    ...(sync ? { status: sync } : {}),
    health: health ? { status: health } : {},
  };
}
