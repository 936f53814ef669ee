/**
 * `node compat/soak/run.ts [--short] [--minutes N] [--applications N] [--interval SECONDS] [--program bin/capstan.js]`:
 * does anything stall? `capstan up` with many applications on a cluster of its own process; commits every few
 * seconds, which no webhook tells of; and one thing after another happens. After each, every application has to be at
 * the newest commit, in the cluster and in the API, within twice the polling interval (the short form allows more);
 * and at rest neither memory, handles, watches, disk nor CPU may grow. `--program` plays the `up` of another checkout.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { isRecord } from "@capstan/formats";
import { readApplications } from "@capstan/testkit";
import { programFlags, wholeNumber } from "@capstan/testkit/program-flags";
import { events, type SoakEvent } from "./events.ts";
import { countWatches, diskMegabytes, readDescendants, readFigures } from "./process-figures.ts";
import { type Episode, episodeTable, type Rest, restTable } from "./table.ts";
import { openSoakWorld, type SoakWorld } from "./world.ts";

const { values: flags } = programFlags({
  options: {
    short: { type: "boolean", default: false },
    minutes: { type: "string" },
    applications: { type: "string" },
    interval: { type: "string" },
    program: { type: "string" },
    only: { type: "string" },
  },
});
const played = events.filter(({ name }) => !flags.only || name.includes(flags.only));
const isShort = flags.short;
const intervalMs = wholeNumber("interval", flags.interval ?? (isShort ? "3" : "15")) * 1000;
const applications = wholeNumber("applications", flags.applications ?? (isShort ? "20" : "100"));
const minutes = isShort && flags.minutes === undefined ? 0 : wholeNumber("minutes", flags.minutes ?? "60");
const commitEveryMs = isShort ? 1_000 : 3_000;
/** Machines differ, and CI's may be busy: the short form asks whether all get there, and only says how soon. */
const limitMs = isShort ? 90_000 : intervalMs * 2;
/** So long a failure is followed, to tell late from never. */
const patienceMs = limitMs * 3;

const problems: string[] = [];
const rests: Rest[] = [];
const episodes: Episode[] = [];
const startedAt = performance.now();
const say = (line: string): void => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);

/** Commits to one repository after the other for as long as the work goes on. */
async function committing(world: SoakWorld, work: () => Promise<unknown>): Promise<void> {
  const end = new AbortController();
  const commits = (async () => {
    for (let turn = 0; !end.signal.aborted; turn += 1) {
      await commitTo(world, turn % world.options.repositories);
      await sleep(commitEveryMs, undefined, { signal: end.signal }).catch(() => undefined);
    }
  })();
  try {
    await work();
  } finally {
    end.abort();
    await commits;
  }
}

async function commitTo(world: SoakWorld, repository: number): Promise<void> {
  const own = world.applications.filter((app) => app.repository === repository);
  const first = Math.floor(Math.random() * own.length);
  await world.commit(repository, own.slice(first, first + 3));
}

/** Applications that are not at the newest commit, by the cluster or by the API, with what is shown instead. */
async function findBehind(world: SoakWorld): Promise<string[]> {
  const signal = AbortSignal.timeout(30_000);
  const shown = new Map((await readApplications(world.kube, signal)).map((app) => [app.name, app]));
  const answer = await world.capstan.api("GET", "/api/v1/applications");
  const items = isRecord(answer.body) && Array.isArray(answer.body.items) ? answer.body.items : [];
  const told = new Map(items.filter(isRecord).map((item) => [nameOf(item), JSON.stringify(item.status)]));
  const values = new Map<string, unknown>();
  const maps = await world.kube.list({ apiVersion: "v1", kind: "ConfigMap" }, signal);
  for (const { metadata, data } of maps.items)
    values.set(`${metadata.namespace}/${metadata.name}`, isRecord(data) ? data.key : undefined);
  const behind: string[] = [];
  for (const { name, namespace, revision, value } of world.applications) {
    const app = shown.get(name);
    const conditions = app?.conditions.map(({ message }) => message).join("; ");
    if (app?.revision !== revision || app.sync !== "Synced")
      behind.push(
        `${name}: ${app?.sync} at ${app?.revision.slice(0, 8)} for ${revision.slice(0, 8)} ${conditions}`,
      );
    else if (values.get(`${namespace}/${name}`) !== value)
      behind.push(`${name}: ${values.get(`${namespace}/${name}`)} for ${value}`);
    else if (!told.get(name)?.includes(revision))
      behind.push(`${name}: the API does not tell of its revision`);
  }
  return behind;
}

function nameOf({ metadata }: Record<string, unknown>): string {
  return isRecord(metadata) ? `${metadata.name}` : "";
}

/** The time until all are at the newest commit; undefined when it did not come to that. */
async function untilNewest(world: SoakWorld, limitMs: number): Promise<{ ms?: number; behind: string[] }> {
  const started = performance.now();
  for (;;) {
    const behind = await findBehind(world).catch((error: unknown) => [String(error)]);
    const ms = performance.now() - started;
    if (behind.length === 0) return { ms, behind };
    if (ms > limitMs) return { behind };
    await sleep(250);
  }
}

async function playRound(world: SoakWorld, event: SoakEvent): Promise<void> {
  let happened = "";
  await committing(world, async () => {
    await sleep(intervalMs / 3);
    happened = await event.happen(world);
    await sleep(intervalMs / 3);
  });
  if (happened === "not possible") return say(`-        ${event.name}: not possible with this program`);
  for (let repository = 0; repository < world.options.repositories; repository += 1)
    await commitTo(world, repository);
  const first = await untilNewest(world, limitMs);
  episodes.push({ event: event.name, ms: first.ms });
  if (first.ms !== undefined) return say(`${(first.ms / 1000).toFixed(1).padStart(6)} s ${event.name}`);
  const count = first.behind.length;
  const late = await untilNewest(world, patienceMs - limitMs);
  const end =
    late.ms === undefined
      ? `${late.behind.length} still after ${patienceMs / 1000} s`
      : `all after ${((limitMs + late.ms) / 1000).toFixed(1)} s`;
  const problem = `after "${event.name}" ${count} of ${applications} applications were behind after ${limitMs / 1000} s, ${end}`;
  problems.push(problem);
  say(`FAILED   ${problem}`);
  for (const line of first.behind.slice(0, 3)) say(`         ${line}`);
}

async function measureRest(world: SoakWorld): Promise<void> {
  const { pid } = world.capstan.status;
  await sleep(Math.min(intervalMs, 5_000));
  const before = await readFigures(pid);
  const started = performance.now();
  await sleep(intervalMs * 2);
  const after = await readFigures(pid);
  const cpu = ((after.cpuSeconds - before.cpuSeconds) * 1000) / (performance.now() - started);
  const { megabytes, handles } = after;
  const rendererMegabytes = await readRendererMegabytes(pid);
  const watches = await countWatches(world.capstan.dataDir);
  const disk = await diskMegabytes(world.capstan.dataDir);
  const taken = { megabytes, handles, cpu, rendererMegabytes, watches, diskMegabytes: disk };
  rests.push({ minutes: (started - startedAt) / 60_000, ...taken });
  say(
    `at rest  ${megabytes.toFixed(0)} MB, ${handles} handles, ${watches} watches, ${disk.toFixed(1)} MB of disk, ${(cpu * 100).toFixed(1)} % of a core`,
  );
}

async function readRendererMegabytes(pid: number): Promise<number> {
  const children = await readDescendants(pid);
  const figures = await Promise.all(children.map((child) => readFigures(child.pid).catch(() => undefined)));
  return figures.reduce((sum, one) => sum + (one?.megabytes ?? 0), 0);
}

/** Compared with the second rest, when everything has happened once. */
function judgeRests(): void {
  const [, base = rests[0]] = rests;
  const last = rests.at(-1);
  if (!base || !last || rests.length < 3) return;
  if (last.megabytes > base.megabytes * 1.3 + 50)
    problems.push(`memory at rest grew from ${base.megabytes.toFixed(0)} to ${last.megabytes.toFixed(0)} MB`);
  if (last.handles > base.handles + 20)
    problems.push(`handles at rest grew from ${base.handles} to ${last.handles}`);
  if (last.watches > base.watches + 5)
    problems.push(`watches at rest grew from ${base.watches} to ${last.watches}`);
  // Each commit stays in the clone, and the last renders are kept.
  if (last.diskMegabytes > base.diskMegabytes * 1.5 + 50)
    problems.push(
      `the data folder grew from ${base.diskMegabytes.toFixed(0)} to ${last.diskMegabytes.toFixed(0)} MB`,
    );
  if (last.cpu > base.cpu * 1.5 + 0.05)
    problems.push(`CPU at rest grew from ${base.cpu.toFixed(3)} to ${last.cpu.toFixed(3)} of a core`);
}

async function soak(): Promise<void> {
  const repositories = 5;
  const program = flags.program === undefined ? {} : { program: flags.program };
  await using world = await openSoakWorld({ applications, repositories, intervalMs, ...program });
  const first = await untilNewest(world, 180_000);
  if (first.ms === undefined) {
    problems.push(`${first.behind.length} applications were not created: ${first.behind[0]}`);
    return;
  }
  say(
    `${applications} applications of ${repositories} repositories, asked about every ${intervalMs / 1000} s`,
  );
  const end = performance.now() + minutes * 60_000;
  await measureRest(world);
  do {
    for (const event of played) {
      await playRound(world, event);
      if (minutes > 0 && performance.now() > end) break;
    }
    await measureRest(world);
  } while (performance.now() < end);
  judgeRests();
  const warnings = world.capstan.output().match(/ WARN /g)?.length ?? 0;
  say(`${warnings} warnings in the last ${(world.capstan.output().length / 1e6).toFixed(1)} MB of the log`);
}

await soak();
for (const line of [...episodeTable(episodes), "", ...restTable(rests), ""]) console.log(line);
const inTime = episodes.filter(({ ms }) => ms !== undefined).length;
say(`${inTime} of ${episodes.length} rounds were in time (within ${limitMs / 1000} s)`);
for (const problem of problems) say(`FAILED   ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;
