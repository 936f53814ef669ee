import { readdir, readFile } from "node:fs/promises";

export interface Started {
  readonly pid: number;
  readonly line: string;
  /** When it began: another one may have its number later. */
  readonly start: string;
}

/** The processes below one. */
export async function startedBy(pid: number): Promise<Started[]> {
  const all: { pid: number; parent: number }[] = [];
  for (const name of (await readdir("/proc")).filter((one) => /^\d+$/.test(one))) {
    const [, parent] = await statOf(Number(name));
    if (parent !== undefined) all.push({ pid: Number(name), parent: Number(parent) });
  }
  const below = (from: number): number[] =>
    all.filter(({ parent }) => parent === from).flatMap((one) => [one.pid, ...below(one.pid)]);
  const found: Started[] = [];
  for (const one of below(pid)) {
    const line = await readFile(`/proc/${one}/cmdline`, "utf8").catch(() => "");
    found.push({ pid: one, line: line.replaceAll("\0", " "), start: await startOf(one) });
  }
  return found;
}

/** When the process began that has the number now; "" where none runs. */
export async function startOf(pid: number): Promise<string> {
  const fields = await statOf(pid);
  return fields[0] === "Z" ? "" : (fields[19] ?? "");
}

/** From its third field on (proc_pid_stat(5)); nothing where it has ended. */
async function statOf(pid: number): Promise<string[]> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return text === "" ? [] : (text.split(") ").at(-1) ?? "").split(" ");
}
