/**
 * `node bench/untouched.ts [--apps 2000] [--commits 3] [--restarts 2] [--before BIN]`: CPU of all
 * processes of `capstan up` for each of many applications of one repository whose manifests stay as they are: for a
 * commit beside them, told by a webhook, and for a restart until all have been looked at. `--before` is
 * bin/capstan.js of another checkout, in turns with this one.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type CapstanProcess, type GitRepository, startCapstan } from "@capstan/testkit";
import { programFlags, wholeNumber } from "@capstan/testkit/program-flags";
import { costOf } from "./process-cost.ts";
import { printFigures } from "./report.ts";
import { createApplications, createSampleRepository, untilSettled } from "./sample-applications.ts";
import { countSamples } from "./scale/peers.ts";
import { postPush } from "./worlds.ts";

const { values: flags } = programFlags({
  options: {
    apps: { type: "string", default: "2000" },
    commits: { type: "string", default: "3" },
    restarts: { type: "string", default: "2" },
    before: { type: "string" },
  },
});
const count = wholeNumber("apps", flags.apps);
const commits = wholeNumber("commits", flags.commits);
const restarts = wholeNumber("restarts", flags.restarts);
const signal = AbortSignal.timeout(15 * 60_000);
/** A thread that rests gives back once what went before has left behind (processes/surroundings/memory-at-rest.ts). */
const restMs = 15_000;

const peers = [{ peer: "this" }, ...(flags.before ? [{ peer: "before", program: flags.before }] : [])];
const results = await inTurns(peers);
printFigures(`untouched: ${count} applications of 4 objects, CPU of each in microseconds`, results);

type Figures = Record<string, number>;

/** Both live side by side, and each step is played by one, then by the other: an hour's noise falls on both alike. */
async function inTurns(
  players: { peer: string; program?: string }[],
): Promise<{ peer: string; figures: Figures }[]> {
  const plays = players.map((player) => ({ peer: player.peer, figures: {} as Figures, steps: play(player) }));
  await using opened = new AsyncDisposableStack();
  for (const { steps } of plays) opened.use(steps);
  for (let playing = plays; playing.length > 0; ) {
    const next = [];
    for (const one of playing) {
      const step = await one.steps.next();
      Object.assign(one.figures, step.value);
      if (!step.done) next.push(one);
    }
    playing = next;
  }
  return plays;
}

async function* play({ program }: { program?: string }): AsyncGenerator<Figures, void, undefined> {
  await using opened = new AsyncDisposableStack();
  const repository = opened.use(await createSampleRepository(count));
  const dataDir = await mkdtemp(join(tmpdir(), "capstan-untouched-"));
  opened.defer(() => rm(dataDir, { recursive: true, force: true }));
  const start = (): Promise<CapstanProcess> =>
    startCapstan({
      dataDir,
      flags: ["--no-samples", "--log-format", "json"],
      ...(program ? { program } : {}),
    });
  let capstan = await start();
  opened.defer(() => capstan[Symbol.asyncDispose]());
  await createApplications(capstan.kube, { count, repoUrl: repository.url, signal });
  await untilSettled(capstan.kube, { count, signal });
  await sleep(restMs);
  yield { "first sync: peak memory, MB": costOf(capstan.status.pid).peakMegabytes };
  for (let at = 1; at <= commits; at += 1)
    yield { [`commit ${at}`]: await commitBeside(capstan, repository, at) };
  // A log-in is made to take long, and a token outlives the process.
  const token = await capstan.token();
  for (let at = 1; at <= restarts; at += 1) {
    await capstan.kill("SIGTERM");
    await capstan[Symbol.asyncDispose]();
    capstan = await start();
    while ((await looksOf(capstan, token)) < count) await sleep(1_000, undefined, { signal });
    await sleep(1_000);
    const { cpuSeconds, peakMegabytes } = costOf(capstan.status.pid);
    yield {
      [`restart ${at}`]: (cpuSeconds * 1e6) / count,
      [`restart ${at}: peak memory, MB`]: peakMegabytes,
    };
  }
}

async function looksOf({ url }: CapstanProcess, token: string): Promise<number> {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  return countSamples("argocd_app_reconcile_count", await answer.text());
}

/** What all cost together until they are at the commit, by their number. */
async function commitBeside(capstan: CapstanProcess, repository: GitRepository, at: number): Promise<number> {
  const { cpuSeconds } = costOf(capstan.status.pid);
  const before = await repository.git("rev-parse", "HEAD");
  const file = "elsewhere/file.txt";
  const revision = await repository.commit({ [file]: `${at}` });
  await postPush(capstan.url, repository.url, { before, after: revision, files: [file] });
  await untilSettled(capstan.kube, { count, revision, signal });
  await sleep(1_000);
  return ((costOf(capstan.status.pid).cpuSeconds - cpuSeconds) * 1e6) / count;
}
