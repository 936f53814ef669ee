import {
  type ApplicationSource,
  hasMultipleSources,
  isCapstanError,
  messageOf,
  sourcesOf,
} from "@capstan/model";
import { type Desired, renderDesired } from "@capstan/planning";
import type { Outcome, Step } from "../../loop/outcome.ts";
import { type ApplicationRun, setConditions } from "../application-run.ts";
import type { DueCompare } from "../comparison-schedule.ts";
import { passingFailure } from "./passing-failure.ts";

/** Asks the repository server what should be there; at level 1 the last answer holds. */
export const renderSources: Step<ApplicationRun> = async (run, signal) => {
  const { due, memory, project, cluster, tenant, needs } = run;
  if (!due || !project || !cluster || !tenant) return "continue";
  const sources = sourcesOf(run.draft);
  try {
    await cluster.live.ready(signal);
    if (due.level === 1 && memory.desired) return "continue";
    const desired = await renderDesired(
      needs,
      {
        app: run.app,
        project,
        discovery: tenant.client.discovery,
        sources,
        askRemote: due.level === 3,
        notBefore: notBefore(run, due),
        noCache: due.hard,
      },
      signal,
    );
    run.renders += desired.renders;
    memory.renders += desired.renders;
    memory.desired = keepUnchanged(memory.desired, desired);
    if (due.poll || memory.polledAt === undefined)
      memory.polledAt = Math.max(run.startedAt, ...desired.askedAt.filter((at) => at !== undefined));
    const { validForMs } = desired;
    memory.schedule.renewSecretsAt(
      validForMs === undefined ? undefined : needs.clock.now() + Math.max(validForMs, leastSecretsMs),
    );
    for (const message of desired.notes)
      needs.events.record(run.app, { type: "Warning", reason: "PluginAskedAgain", message });
    memory.unreachableSince = undefined;
    return "continue";
  } catch (error) {
    signal.throwIfAborted();
    return comparisonFailed(run, error, sources);
  }
};

/**
 * How old a kept answer of the remote may be: no older than the interval; when the interval has passed, asked within
 * it. So the remote is asked once in an interval for all who follow a branch, by the one whose interval is over first.
 */
function notBefore({ memory, needs }: ApplicationRun, { poll }: DueCompare): number | undefined {
  const { reconcileMs } = needs.settings.current.general;
  const times = [memory.newerSeenAt];
  // A failure is kept too: whoever comes back to it after an interval asks anew.
  if (reconcileMs !== undefined)
    times.push(needs.clock.now() - (memory.failures > 0 ? reconcileMs / 2 : reconcileMs));
  if (poll && memory.polledAt !== undefined) times.push(memory.polledAt + 1);
  const known = times.filter((at) => at !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** The same manifests stay the same objects, so that comparisons of before still hold. */
function keepUnchanged(before: Desired | undefined, now: Desired): Desired {
  if (!before || before.manifests.length !== now.manifests.length) return now;
  const isSame = now.manifests.every(({ digest }, index) => digest === before.manifests[index]?.digest);
  return isSame ? { ...now, manifests: before.manifests } : now;
}

const firstRetryMs = 10_000;
/** What is about to end is not asked for all the time until it has. */
const leastSecretsMs = 1_000;
const withoutPlugin = ["PLUGIN_UNREACHABLE", "PLUGIN_MISSING"] as const;

/**
 * A failure of rendering or of reading the cluster: nothing is known of the application, and nothing is pruned.
 * A repository that is out of reach for a moment leaves the earlier result standing
 * (--repo-error-grace-period-seconds).
 */
export function comparisonFailed(
  run: ApplicationRun,
  error: unknown,
  sources: readonly ApplicationSource[],
): "continue" | Outcome {
  const { memory, draft, needs } = run;
  const now = needs.clock.now();
  memory.failures += 1;
  memory.lacksPlugin = isCapstanError(error, ...withoutPlugin);
  memory.schedule.renewSecretsAt(undefined); // the retry asks for them
  const retryAfterMs = Math.min(firstRetryMs * 2 ** Math.min(memory.failures - 1, 5), 180_000);
  const away = passingFailure(error);
  if (away !== undefined && memory.desired) {
    memory.unreachableSince ??= now;
    if (now - memory.unreachableSince < needs.options.repoErrorGraceMs) {
      needs.log.warn(
        { app: run.key, problem: messageOf(error) },
        "comparison failed, the earlier result stands",
      );
      memory.schedule.ask({ level: 2, reason: away, atMs: now + retryAfterMs });
      return { kind: "waiting", reason: messageOf(error), retryAfterMs };
    }
  }
  setConditions(run, ["ComparisonError"], [{ type: "ComparisonError", message: messageOf(error) }]);
  const { spec, status } = draft;
  const compared = hasMultipleSources(spec)
    ? { sources: [...sources] }
    : sources[0] && { source: sources[0] };
  status.sync = {
    ...status.sync,
    status: "Unknown",
    comparedTo: {
      ...compared,
      destination: spec.destination,
      ...(spec.ignoreDifferences ? { ignoreDifferences: spec.ignoreDifferences } : {}),
    },
  };
  status.health = {
    ...(status.health?.status === "Unknown" ? status.health : { status: "Unknown" as const }),
  };
  memory.comparison = undefined;
  memory.desired = undefined;
  // An operation that is under way has its plan already.
  if (memory.operation) return "continue";
  return { kind: "waiting", reason: messageOf(error), retryAfterMs };
}
