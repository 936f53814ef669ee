import { applicationSetNotices } from "@capstan/engine";
import { equalJson, formatTime } from "@capstan/formats";
import {
  type ApplicationSet,
  type ApplicationSetCondition,
  argoApiVersion,
  deletionHeldCondition,
  groupOf,
  versionOf,
} from "@capstan/model";
import type { SetNeeds, StoredApplication, StoredSet } from "./set-needs.ts";

/** How a look at a set ended, of which its conditions are made. */
export type SetVerdict = {
  /** What is not deleted until it is allowed, with the command that allows it. */
  readonly held?: string;
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

/** The three conditions that Argo CD's controller keeps (setApplicationSetStatusCondition), and Capstan's own. */
function conditionsFor(set: ApplicationSet, verdict: SetVerdict): Said[] {
  const type = "NotHonoured";
  const notices = applicationSetNotices(set).map((message) => ({
    type,
    status: "True",
    reason: type,
    message,
  }));
  return [...ownConditions(verdict), ...heldDeletions(verdict), ...notices];
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
  const status = {
    conditions: verdict
      ? merged(before.conditions ?? [], conditionsFor(set, verdict), clock.now())
      : (before.conditions ?? []),
    resources: rows.slice(0, most > 0 ? most : defaultMaxResources),
    resourcesCount: rows.length,
  };
  const { conditions = [], resources = [], resourcesCount = 0 } = before;
  if (equalJson(status, { conditions, resources, resourcesCount })) return;
  const { name, namespace } = set.metadata;
  const ref = { apiVersion: argoApiVersion, kind: "ApplicationSet", namespace, name };
  const written = await client.patch(
    ref,
    { type: "merge", body: { status } },
    { signal, subresource: "status" },
  );
  live.observe(written);
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
