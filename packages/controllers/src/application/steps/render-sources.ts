import { sourcesOf } from "@capstan/model";
import { broughtManifests, type Desired, type RenderInput, renderDesired } from "@capstan/planning";
import { type ApplicationRun, draftedApp, type LoadedRun, type RenderedRun } from "../application-run.ts";
import type { DueCompare } from "../comparison-schedule.ts";

/** Asks the repository server what should be there; at level 1 the last answer holds. */
export async function renderSources(
  loaded: LoadedRun,
  compare: DueCompare,
  signal: AbortSignal,
): Promise<RenderedRun> {
  const { run, project, cluster } = loaded;
  const { memory, needs } = run;
  await cluster.live.ready(signal);
  const brought = broughtManifests(needs, { app: draftedApp(run), project });
  const { desired: known } = memory;
  if (compare.level === 1 && known && known.broughtAt === brought?.broughtAt)
    return { ...loaded, compare, desired: known };
  const answer = await renderDesired(
    needs,
    {
      ...renderInput(loaded, compare),
      revisions: brought?.revisions ?? compare.revisions,
      manifests: brought?.manifests,
    },
    signal,
  );
  const desired = keepUnchanged(known, brought ? { ...answer, broughtAt: brought.broughtAt } : answer);
  remember(run, compare, desired);
  for (const { reason, message } of desired.notes)
    needs.events.record(run.app, { type: "Warning", reason, message });
  return { ...loaded, compare, desired };
}

/** What the repository server is asked with, whether to render or what a render would be known by. */
export function renderInput({ run, project, tenant }: LoadedRun, compare: DueCompare): RenderInput {
  return {
    app: run.app,
    project,
    discovery: tenant.client.discovery,
    sources: sourcesOf(run.draft),
    revisions: compare.revisions,
    askRemote: compare.level === 3,
    notBefore: notBefore(run, compare),
    noCache: compare.hard,
  };
}

/** What is about to end is not asked for all the time until it has. */
const leastSecretsMs = 1_000;

function remember(run: ApplicationRun, { poll }: DueCompare, desired: Desired): void {
  const { memory, needs } = run;
  const { renders, validForMs } = desired;
  run.renders += renders;
  memory.renders += renders;
  memory.desired = desired;
  rememberPoll(run, poll, desired);
  memory.schedule.renewSecretsAt(
    validForMs === undefined ? undefined : needs.clock.now() + Math.max(validForMs, leastSecretsMs),
  );
  memory.unreachableSince = undefined;
}

/** Its interval has begun with this answer of the remote. */
export function rememberPoll(
  { memory, startedAt }: ApplicationRun,
  poll: boolean | undefined,
  { askedAt }: Pick<Desired, "askedAt">,
): void {
  if (poll || memory.polledAt === undefined)
    memory.polledAt = Math.max(startedAt, ...askedAt.filter((at) => at !== undefined));
}

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
