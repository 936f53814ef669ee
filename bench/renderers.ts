/**
 * `node bench/renderers.ts [--rounds 15] [--cases helm,kustomize,…]`: what a render costs beside the command line that
 * it stands for. Each round commits a change, runs the command in a checkout of it, and asks the repo server for
 * that commit (cold: everything that depends on it is made anew; every other round before the command) and for the
 * same once more (warm). The cold time is from the request to the answer with all its manifests, without git's share.
 * What the server does afterwards (removing the render's files, writing its cache to disk: 2 to 3 ms) is not in it.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ProgramStarter, runCommand, Spawner } from "@capstan/plugin-kit";
import { prepareTools } from "@capstan/programs";
import { createRepoServer } from "@capstan/render";
import { createGitRepository, type GitRepository, realClock } from "@capstan/testkit";
import { programFlags } from "@capstan/testkit/program-flags";
import { builtInPlugins } from "@capstan/testkit/worlds";
import { type Absent, commandCases, type PreparedCase, type RendererCase } from "./renderers/cases.ts";
import { cdk8sCase } from "./renderers/cdk8s-case.ts";
import { kptCase, kptContainersCase } from "./renderers/kpt-case.ts";
import { pastedCases } from "./renderers/pasted-cases.ts";
import { type Figures, printFigures } from "./report.ts";

const { values } = programFlags({ options: { rounds: { type: "string" }, cases: { type: "string" } } });
const rounds = Number(values.rounds ?? 15);
const wanted = values.cases?.split(",");
const limitMs = 300_000;
/** For what the server does after an answer, so that it disturbs no measurement. */
const clearingMs = 30;
const ownEnv = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? ""]));
const silent = () => undefined;
const log = { debug: silent, info: silent, warn: silent, error: silent };

interface World {
  readonly server: Awaited<ReturnType<typeof createRepoServer>>;
  readonly repository: GitRepository;
}

type Times = Record<"program" | "tuned" | "cold" | "git" | "warm", number[]>;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function median(all: readonly number[]): number {
  return all.toSorted((left, right) => left - right)[Math.floor(all.length / 2)] ?? Number.NaN;
}

function render({ server, repository: { url } }: World, revision: string, one: RendererCase) {
  return server.generateManifests(
    {
      repository: { url },
      source: { repoURL: url, path: one.path, targetRevision: "main", ...one.source },
      revision,
      appName: one.name,
      namespace: "default",
      project: "default",
      kubeVersion: "1.34.0",
      apiVersions: [],
    },
    AbortSignal.timeout(limitMs),
  );
}

async function measure(one: RendererCase): Promise<Figures | Absent> {
  await using opened = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "capstan-renderers-"));
  opened.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  const repository = opened.use(await createGitRepository(one.files));
  const prepared: PreparedCase | Absent = (await one.prepare?.(opened)) ?? { env: {} };
  if ("absent" in prepared) return prepared;
  const { env, server: { plugins = [], ...more } = {} } = prepared;
  const server = opened.use(
    await createRepoServer({
      ...{ dataDir, clock: realClock, log, separateStarter: "always" as const, secretStores: "*" },
      env: { ...process.env, ...env },
      ...more,
      plugins: [...builtInPlugins, ...plugins],
    }),
  );
  const starter = opened.use(await Spawner.open(join(dataDir, "command-pipes"), process.env.PATH ?? ""));
  const world = { server, repository };
  const times: Times = { program: [], tuned: [], cold: [], git: [], warm: [] };
  for (let round = 0; round <= rounds; round += 1) {
    const revision = await repository.commit(one.change(round));
    const cwd = join(repository.dir, one.path);
    const argv = await one.command();
    const runWith = async (tuning: Readonly<Record<string, string>> = {}) => {
      const ms = await timed(() => runAlone(argv, { cwd, env: { ...env, ...tuning }, starter }));
      // Commands may edit what they read.
      await repository.git("checkout", "--quiet", "--", ".");
      return ms;
    };
    const rendersFirst = round % 2 === 0;
    const early = rendersFirst ? await renderTwice(world, revision, one) : undefined;
    const program = await runWith();
    const tuned = one.tuning ? await runWith(one.tuning) : undefined;
    const { git, cold, warm } = early ?? (await renderTwice(world, revision, one));
    // The first round loads programs and modules.
    if (round === 0) continue;
    times.program.push(program);
    if (tuned !== undefined) times.tuned.push(tuned);
    times.git.push(git);
    times.cold.push(cold);
    times.warm.push(warm * 1000);
  }
  return figuresOf(times);
}

/** As the repo server starts it: by a process as small as a shell. */
function runAlone(
  [program, ...args]: readonly [string, ...string[]],
  { cwd, env, starter }: { cwd: string; env: Readonly<Record<string, string>>; starter: ProgramStarter },
): Promise<unknown> {
  const whole = { ...ownEnv, ...env };
  const limits = { clock: realClock, signal: AbortSignal.timeout(limitMs), timeoutMs: limitMs, starter };
  return runCommand({ program, args, cwd, env: whole }, limits);
}

async function renderTwice(world: World, revision: string, one: RendererCase) {
  let git = 0;
  const whole = await timed(async () => {
    git = (await render(world, revision, one)).timings.fetchMs;
  });
  await sleep(clearingMs);
  const warm = await timed(() => render(world, revision, one));
  return { git, cold: whole - git, warm };
}

function figuresOf(times: Times): Figures {
  const [program, tuned, cold] = [median(times.program), median(times.tuned), median(times.cold)];
  const besideTuned = {
    "command line with the server's settings, ms": tuned,
    "all else over that, %": (cold / tuned) * 100,
  };
  return {
    "command line, ms": program,
    "a new commit: git, ms": median(times.git),
    "a new commit: all else, ms": cold,
    "the same commit again, µs": median(times.warm),
    "all else over command line, %": (cold / program) * 100,
    "command line, times as long": program / cold,
    ...(times.tuned.length === 0 ? {} : besideTuned),
  };
}

function isAbsent(measured: Figures | Absent): measured is Absent {
  return typeof measured.absent === "string";
}

await prepareTools();
const results: { peer: string; figures: Figures }[] = [];
for (const one of [...commandCases, cdk8sCase, kptCase, kptContainersCase, ...pastedCases]) {
  if (wanted && !wanted.includes(one.name)) continue;
  const lacking = one.lacking?.();
  const measured = lacking ? { absent: lacking } : await measure(one);
  if (isAbsent(measured)) console.log(`${one.name}: skipped: ${measured.absent}`);
  else results.push({ peer: one.name, figures: measured });
}
printFigures(`renderers, median of ${rounds} commits`, results, { ratio: false });
