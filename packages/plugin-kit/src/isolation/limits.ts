import { readdirSync, readFileSync, statSync } from "node:fs";
import { totalmem } from "node:os";
import { tried } from "./tried.ts";

/** util-linux' prlimit, and whose processes are counted. */
export interface LimitMeans {
  readonly prlimit?: string | undefined;
  /** Another user than this process's, whom nobody else's processes belong to. */
  readonly owner?: number | undefined;
}

const maxFileBytes = 4 * 2 ** 30;
const maxOpenFiles = 4_096;
/** Threads count too. */
const maxTasks = 512;
const leastMemoryBytes = 4 * 2 ** 30;
const countedForMs = 10_000;

/** Gives for a while what was read before: commands start by the dozen. */
function countedForAWhile(read: () => number): () => number {
  let last: { at: number; count: number } | undefined;
  return () => {
    const now = performance.now();
    if (last === undefined || now - last.at >= countedForMs) last = { at: now, count: read() };
    return last.count;
  };
}

const machineMemory = countedForAWhile(() => {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
});

/** This process's user has other programs, which count as well (setrlimit(2), RLIMIT_NPROC). */
const ownTasks = countedForAWhile(() => {
  const uid = process.getuid?.();
  let tasks = 0;
  for (const name of tried(() => readdirSync("/proc")) ?? []) {
    if (!/^\d+$/.test(name)) continue;
    if (tried(() => statSync(`/proc/${name}`).uid) !== uid) continue;
    tasks += tried(() => readdirSync(`/proc/${name}/task`).length) ?? 0;
  }
  return tasks;
});

/**
 * What stands before a command for limits that hold with and without a sandbox: processes of its user, open files, the
 * size of a file, and memory that a process writes (RLIMIT_DATA: what Go, Node and Java only reserve is not counted).
 */
export function limitArguments({ prlimit, owner }: LimitMeans): string[] {
  if (prlimit === undefined) return [];
  const tasks = (owner === undefined ? ownTasks() : 0) + maxTasks;
  const memory = Math.max(leastMemoryBytes, Math.floor(machineMemory() / 2));
  const wanted = { nproc: tasks, nofile: maxOpenFiles, fsize: maxFileBytes, data: memory };
  const limits = Object.entries(wanted).map(
    ([name, limit]) => `--${name}=${Math.min(limit, ownLimit(name))}`,
  );
  return [prlimit, "--core=0", ...limits, "--"];
}

const titles: Readonly<Record<string, string>> = {
  nproc: "Max processes",
  nofile: "Max open files",
  fsize: "Max file size",
  data: "Max data size",
};
let own: string | undefined;

/** What is more than this process's own hard limit cannot be set. */
function ownLimit(name: string): number {
  own ??= tried(() => readFileSync("/proc/self/limits", "utf8")) ?? "";
  const line = own.split("\n").find((one) => one.startsWith(titles[name] ?? "-"));
  const [, hard] = /\s(?:unlimited|\d+)\s+(unlimited|\d+)/.exec(line ?? "") ?? [];
  return hard === undefined || hard === "unlimited" ? Number.POSITIVE_INFINITY : Number(hard);
}
