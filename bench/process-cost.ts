import { readFileSync } from "node:fs";

export interface Cost {
  /** User and system time of the process and its ended children. */
  cpuSeconds: number;
  peakMegabytes: number;
}

const ticksPerSecond = 100;

/** Reads Linux's /proc: CPU includes children that were waited for; peak memory is VmHWM. */
export function costOf(pid: number): Cost {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = [11, 12, 13, 14].map((at) => Number(fields[at])).reduce((sum, one) => sum + one, 0);
  const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return { cpuSeconds: ticks / ticksPerSecond, peakMegabytes: Number(peak ?? 0) / 1024 };
}

export function costsOf(pids: Readonly<Record<string, number>>): Record<string, Cost> {
  return Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, costOf(pid)]));
}

/** CPU spent since `before`, and the peak so far, by program. */
export function costsSince(
  before: Readonly<Record<string, Cost>>,
  after: Readonly<Record<string, Cost>>,
): Record<string, Cost> {
  const spent = Object.entries(after).map(([name, { cpuSeconds, peakMegabytes }]) => [
    name,
    { cpuSeconds: cpuSeconds - (before[name]?.cpuSeconds ?? 0), peakMegabytes },
  ]);
  return Object.fromEntries(spent);
}

/** Resident memory of all of them together, as it is now. */
export function megabytesNow(pids: Readonly<Record<string, number>>): number {
  const each = Object.values(pids).map((pid) => {
    const resident = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Number(resident ?? 0) / 1024;
  });
  return each.reduce((sum, one) => sum + one, 0);
}
