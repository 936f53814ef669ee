import { readFileSync, readlinkSync } from "node:fs";

/** When a process began: its number may be another's by now (proc_pid_stat(5), starttime). Empty: there is none. */
export function startOf(pid: number): string {
  return statusOf(pid)[19] ?? "";
}

/** Nothing of it runs any more: it is gone, or nobody has waited for it yet (a zombie). */
export function hasEnded(pid: number): boolean {
  return ["", "Z", "X"].includes(statusOf(pid)[0] ?? "");
}

export function childrenOf(pid: number): number[] {
  return read(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);
}

/** Whether /proc shows this process's own namespace: within a sandbox it may be the one around it. */
export function isProcOurs(): boolean {
  try {
    return readlinkSync("/proc/self") === String(process.pid);
  } catch {
    return false; // this is no Linux
  }
}

/** From the third field on: the second is the program's name, which may have spaces. */
function statusOf(pid: number): string[] {
  return read(`/proc/${pid}/stat`).split(") ").at(-1)?.split(" ") ?? [];
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // it has ended, or this is no Linux
  }
}
