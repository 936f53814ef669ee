import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface Cost {
  /** User and system time of the process and of all that it started, whether it still runs or has ended. */
  cpuSeconds: number;
  peakMegabytes: number;
  /** Resident now. */
  megabytes: number;
}

const ticksPerSecond = 100;

/**
 * Reads Linux's /proc: CPU includes children that were waited for. Peak memory is the sum of each one's VmHWM, what is
 * resident the sum of VmRSS, with the pages of a program's files counted once, however many processes run it (RssFile,
 * as it is now): they are there once.
 */
export function costOf(pid: number): Cost {
  const cost = { ...nothing };
  for (const { one, shared } of treeOf(pid)) {
    // A child may end while it is looked at; its parent tells its time then.
    const { cpuSeconds, peakMegabytes, megabytes } =
      one === pid ? ownCost(one) : unlessGone(() => ownCost(one), nothing);
    cost.cpuSeconds += cpuSeconds;
    cost.peakMegabytes += Math.max(peakMegabytes - shared, 0);
    cost.megabytes += Math.max(megabytes - shared, 0);
  }
  return cost;
}

/** A process and all that it started; `shared`: megabytes of its program's files that one before it has as well. */
function treeOf(pid: number): readonly { one: number; shared: number }[] {
  const programs = new Set<string>();
  return [pid, ...descendantsOf(pid)].map((one) => {
    const program = unlessGone(() => readlinkSync(`/proc/${one}/exe`), String(one));
    const shared = programs.has(program) ? unlessGone(() => ownMegabytes(one, "RssFile"), 0) : 0;
    programs.add(program);
    return { one, shared };
  });
}

const nothing: Cost = { cpuSeconds: 0, peakMegabytes: 0, megabytes: 0 };

function descendantsOf(pid: number): number[] {
  return unlessGone(() => childrenOf(pid), []).flatMap((child) => [child, ...descendantsOf(child)]);
}

function childrenOf(pid: number): number[] {
  const lists = readdirSync(`/proc/${pid}/task`).map((thread) =>
    unlessGone(() => readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8"), ""),
  );
  return lists.flatMap((list) => list.split(" ").filter(Boolean).map(Number));
}

function unlessGone<Value>(read: () => Value, otherwise: Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && "code" in error && /^(ENOENT|ESRCH)$/.test(String(error.code)))
      return otherwise;
    throw error;
  }
}

/** The process alone. */
export function ownCost(pid: number): Cost {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = [11, 12, 13, 14].map((at) => Number(fields[at])).reduce((sum, one) => sum + one, 0);
  return {
    cpuSeconds: ticks / ticksPerSecond,
    peakMegabytes: ownMegabytes(pid, "VmHWM"),
    megabytes: ownMegabytes(pid, "VmRSS"),
  };
}

export function costsOf(pids: Readonly<Record<string, number>>): Record<string, Cost> {
  return Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, costOf(pid)]));
}

/** CPU spent since `before`, and the memory so far, by program. */
export function costsSince(
  before: Readonly<Record<string, Cost>>,
  after: Readonly<Record<string, Cost>>,
): Record<string, Cost> {
  const spent = Object.entries(after).map(([name, { cpuSeconds, ...memory }]) => [
    name,
    { cpuSeconds: cpuSeconds - (before[name]?.cpuSeconds ?? 0), ...memory },
  ]);
  return Object.fromEntries(spent);
}

/**
 * Resident memory of all of them together, as it is now. RssFile: that of files, which processes of the same program
 * share and the system takes back where it needs it.
 */
export function megabytesNow(pids: Readonly<Record<string, number>>, of: Resident = "VmRSS"): number {
  return Object.values(pids).reduce((sum, pid) => sum + ownMegabytes(pid, of), 0);
}

type Resident = "VmRSS" | "RssFile" | "VmHWM";

function ownMegabytes(pid: number, of: Resident): number {
  const lines = readFileSync(`/proc/${pid}/status`, "utf8").split("\n");
  const resident = lines.find((line) => line.startsWith(`${of}:`));
  return Number(/\d+/.exec(resident ?? "")?.[0] ?? 0) / 1024;
}
