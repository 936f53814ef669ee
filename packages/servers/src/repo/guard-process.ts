import { Worker } from "node:worker_threads";

/** What one process may cost before it is ended from within. */
export interface ProcessLimits {
  readonly memoryBytes: number;
  /** CPU time that the main thread may take without answering. */
  readonly stallMs: number;
}

/** By which signal a process ends that has passed a limit, so that whoever started it knows: both end it by default. */
export const endingSignals = { memory: "SIGUSR2", stall: "SIGALRM" } as const;

const lookMs = 200;
/** Programs that it started are looked at less often. */
const programsMs = 500;
/** Since it used less CPU time than that it has neither grown nor started a program: it is looked at less often. */
const quietMs = 2;
const quietLookMs = 600;
/** After so many quiet looks with no call under way it rests, until one comes or this has passed. */
const looksBeforeRest = 5;
const restMs = 5_000;
/** What hangs without using the CPU, as in a read that never ends. */
const hangMs = 600_000;

const times = { hangMs, lookMs, programsMs, quietMs, quietLookMs, looksBeforeRest, restMs };

export interface ProcessGuard {
  /** To be told whenever that changes: with none the guard may rest. */
  underWay(calls: number): void;
}

/** A thread that ends this process when it passes a limit, or when its parent has gone, also while it is busy. */
export function guardProcess({ memoryBytes, stallMs }: ProcessLimits): ProcessGuard {
  const [beat, calls] = [0, 1];
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const given = { shared, memoryBytes, stallMs, ...times, endingSignals };
  const thread = new Worker(watch, { eval: true, workerData: given, stdout: false, execArgv: [] });
  // What hangs answers no more.
  thread.on("message", () => Atomics.add(shared, beat, 1));
  thread.unref();
  return {
    underWay(count) {
      Atomics.store(shared, calls, count);
      if (count > 0) Atomics.notify(shared, calls);
    },
  };
}

/** As text, for a thread that has to load nothing. */
const watch = `
const { parentPort, workerData } = require("node:worker_threads");
const { shared, memoryBytes, stallMs, hangMs, lookMs, programsMs, quietMs, quietLookMs } = workerData;
const { looksBeforeRest, restMs, endingSignals } = workerData;
const [beat, calls] = [0, 1];
const parent = process.ppid;
const cpuMs = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
const { readdirSync, readFileSync, writeSync } = require("node:fs");
const read = (path) => { try { return readFileSync(path, "utf8"); } catch { return ""; } };
const tasks = (pid) => { try { return readdirSync("/proc/" + pid + "/task"); } catch { return []; } };
const below = (pid, depth = 0) => depth > 20 ? [] : tasks(pid)
  .flatMap((task) => read("/proc/" + pid + "/task/" + task + "/children").split(" ").filter(Boolean))
  .flatMap((child) => [child, ...below(child, depth + 1)]);
const endLargePrograms = () => {
  const programs = below("self");
  for (const pid of programs) {
    const bytes = Number(read("/proc/" + pid + "/statm").split(" ")[1] || 0) * 4096;
    if (bytes <= memoryBytes) continue;
    const name = read("/proc/" + pid + "/comm").trim();
    writeSync(2, "a program of the repo server (" + name + ") took more memory than --repo-server-memory-limit and was ended\\n");
    try { process.kill(Number(pid), "SIGKILL"); } catch {}
  }
  return programs.length > 0;
};
let seen = -1, sinceCpu = cpuMs(), since = Date.now();
let lookedAtCpu = 0, leftAtCpu = 0, programsAt = 0, hasPrograms = true, quietLooks = 0;
const look = () => {
  if (process.ppid !== parent) process.kill(process.pid, "SIGKILL");
  const now = Date.now(), cpu = cpuMs();
  const isQuiet = cpu - lookedAtCpu < quietMs;
  quietLooks = cpu - leftAtCpu < quietMs ? quietLooks + 1 : 0;
  const beats = Atomics.load(shared, beat);
  if (beats !== seen) {
    [seen, sinceCpu, since] = [beats, cpu, now];
    parentPort.postMessage("");
  } else if (cpu - sinceCpu > stallMs || now - since > hangMs) process.kill(process.pid, endingSignals.stall);
  if (!isQuiet && process.memoryUsage.rss() > memoryBytes) process.kill(process.pid, endingSignals.memory);
  if ((!isQuiet || hasPrograms) && now - programsAt >= programsMs) {
    hasPrograms = endLargePrograms();
    programsAt = now;
  }
  leftAtCpu = cpuMs();
  if (!isQuiet) lookedAtCpu = leftAtCpu;
  if (quietLooks > looksBeforeRest && Atomics.load(shared, calls) === 0) {
    Atomics.wait(shared, calls, 0, restMs);
    since = Date.now();
    setTimeout(look, 0);
  } else setTimeout(look, isQuiet ? quietLookMs : lookMs);
};
look();
`;
