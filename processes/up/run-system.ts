import { rm } from "node:fs/promises";
import { join } from "node:path";
import { systemClock as clock, untilAborted } from "@capstan/flow";
import type { Log } from "@capstan/plugin-kit";
import { serveDebug } from "@capstan/servers/debug-server";
import { adminPassword, writeWhole } from "../surroundings/data-folder.ts";
import { debugSocket } from "../surroundings/debug-socket.ts";
import { followSteps } from "../surroundings/follow-steps.ts";
import { ownVersion } from "../surroundings/own-process.ts";
import { say } from "../surroundings/say.ts";
import { boundedLogVariable, boundLog } from "./bound-log.ts";
import { untilFirstHealthy } from "./first-healthy.ts";
import type { WantedCluster } from "./open-cluster.ts";
import type { UpOptions } from "./options.ts";
import { prepareSamples, type Samples } from "./samples.ts";
import type { RepoStarterInput, StartRepoProcess } from "./start-repo-process.ts";
import { type System, startSystem } from "./start-system.ts";

/** Since the process began, module loading included. */
const sinceStartMs = (): number => Math.round(performance.now());

interface Begun {
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly cluster: WantedCluster;
}

/** Composes, says what a person needs to know, and waits until the signal is aborted. */
export async function runSystem(options: UpOptions, { log, signal, cluster }: Begun): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const password = await adminPassword(options.dataDir);
  const { [boundedLogVariable]: logFile } = process.env;
  if (logFile !== undefined) void boundLog({ path: logFile, clock, log, signal });
  const version = ownVersion();
  opened.use(await followSteps(options, { name: "capstan", version, clock, log }));
  opened.use(await serveDebug(debugSocket(options.dataDir), { clock, log }));
  const samples = options.controllers && options.samples ? prepareSamples(options) : undefined;
  samples?.catch(() => undefined); // whoever creates them is told
  const given = { options, clock, log, signal };
  const startRepoServer = options.controllers
    ? opened.use(await startAhead(given, samples)).start
    : startOnDemand(given);
  const input = { ...given, adminPassword: password, version, startRepoServer };
  const system = opened.use(await startSystem(input, cluster));
  const statusFile = join(options.dataDir, "status.json");
  const status = {
    url: system.url,
    kubeconfig: system.kubeconfig,
    pid: process.pid,
    readyMs: sinceStartMs(),
  };
  opened.defer(() => rm(statusFile, { force: true }));
  await writeWhole(statusFile, JSON.stringify(status));
  const { namespace } = options;
  const secret = { kube: system.kube, namespace, adminPassword: password, signal };
  const passwordHolds =
    system.isSimulated || (await (await import("@capstan/servers")).adminPasswordHolds(secret));
  sayReady(system, options, { readyMs: status.readyMs, passwordHolds });
  if (options.controllers) {
    void import("../surroundings/memory-at-rest.ts");
    if (samples) await createSampleApplications(system, await samples, signal);
    void reportFirstHealthy(
      { kube: system.kube, namespace: options.namespace },
      signal,
      async (firstHealthyMs) => {
        say(`first application Healthy after ${firstHealthyMs} ms`);
        await writeWhole(statusFile, JSON.stringify({ ...status, firstHealthyMs }));
      },
    );
  }
  // Asked while the last of the start was under way, there is nothing left to wait for.
  await untilAborted(signal);
}

const repoProcesses = () => import("./start-repo-process.ts");

/** Loading takes a repo server as long as everything else together: it begins first. */
async function startAhead(given: RepoStarterInput, samples: Promise<unknown> = Promise.resolve()) {
  const { repoStarter, startedAhead } = await repoProcesses();
  return startedAhead(repoStarter(given), samples);
}

/** Beside a cluster alone, where a plan on its page may be looked at, or nothing is ever rendered. */
function startOnDemand(given: RepoStarterInput): StartRepoProcess {
  let loading: Promise<StartRepoProcess> | undefined;
  return async (wanted) => {
    loading ??= repoProcesses().then(({ repoStarter }) => repoStarter(given));
    return (await loading)(wanted);
  };
}

function sayReady(
  system: System,
  options: UpOptions,
  { readyMs, passwordHolds }: { readyMs: number; passwordHolds: boolean },
): void {
  const file = join(options.dataDir, "admin-password");
  const user = passwordHolds
    ? `admin, password in ${file}`
    : `admin, with the password that Secret ${options.namespace}/argocd-secret had before; that in ${file} is another`;
  for (const { wanted, taken } of system.movedPorts) say(`port ${wanted} is in use: took ${taken} instead`);
  say(`ready after ${readyMs} ms`);
  say(`  page        ${system.url}`);
  say(`  user        ${user}`);
  if (system.metricsUrl) say(`  metrics     ${system.metricsUrl}/metrics`);
  say(`  kubectl     KUBECONFIG=${system.kubeconfig}`);
  say(`  data        ${options.dataDir}`);
  if (system.isSimulated)
    say("  The cluster is simulated: its API is Kubernetes', but nothing really runs in it.");
  say("  Ctrl-C stops; a later start finds everything as it was.");
}

async function createSampleApplications(
  { kube }: System,
  { applications, done }: Samples,
  signal: AbortSignal,
): Promise<void> {
  for (const application of applications) {
    await kube.apply(application, { fieldManager: "capstan-samples", force: true, signal });
    say(`created the sample application ${application.metadata.name}`);
  }
  await done();
}

async function reportFirstHealthy(
  where: { kube: System["kube"]; namespace: string },
  signal: AbortSignal,
  report: (ms: number) => Promise<void>,
): Promise<void> {
  try {
    await untilFirstHealthy({ ...where, clock, signal });
    await report(sinceStartMs());
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
