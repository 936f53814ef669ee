import { lstat, readdir, readFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";

/** What a process takes at one moment; Linux only. */
export interface ProcessFigures {
  /** Resident memory. */
  megabytes: number;
  /** Open files, sockets and pipes. */
  handles: number;
  /** Seconds of CPU since its start. */
  cpuSeconds: number;
}

/** Of USER_HZ, which is 100 on every Linux that Node runs on. */
const ticksPerSecond = 100;

export async function readFigures(pid: number): Promise<ProcessFigures> {
  const [status, stat, handles] = await Promise.all([
    readFile(`/proc/${pid}/status`, "utf8"),
    readFile(`/proc/${pid}/stat`, "utf8"),
    readdir(`/proc/${pid}/fd`),
  ]);
  // The fields after the name, which may hold blanks: utime is the 14th, stime the 15th.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const kilobytes = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  return {
    megabytes: kilobytes / 1024,
    handles: handles.length,
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
  };
}

/** Watches of clusters that a program of Capstan has open, as it shows them itself (`capstan debug queues`). */
export async function countWatches(dataDir: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const asked = request({ socketPath: join(dataDir, "debug.sock"), path: "/debug/queues" }, resolve);
  asked.once("error", reject).end();
  const queues: unknown = await json(await promise);
  if (!Array.isArray(queues)) throw new Error("queues are not listed");
  return queues.find(({ name }) => name === "watches")?.running.length ?? 0;
}

/** What the files below a folder take on the disk. */
export async function diskMegabytes(folder: string): Promise<number> {
  let blocks = 0;
  for (const name of await readdir(folder, { recursive: true }).catch(() => [])) {
    const found = await lstat(join(folder, name)).catch(() => undefined); // gone meanwhile
    blocks += found?.blocks ?? 0;
  }
  return (blocks * 512) / 2 ** 20;
}

/** Its children and theirs, by process id, with what they were started as. */
export async function readDescendants(pid: number): Promise<{ pid: number; command: string }[]> {
  const rows: { pid: number; parent: number; command: string }[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const row = await readRow(Number(name));
    if (row) rows.push(row);
  }
  const known = new Set([pid]);
  for (let before = 0; before !== known.size; ) {
    before = known.size;
    for (const row of rows) if (known.has(row.parent)) known.add(row.pid);
  }
  return rows.filter((row) => row.pid !== pid && known.has(row.pid));
}

/** Nothing of a process that has just ended. */
async function readRow(pid: number): Promise<{ pid: number; parent: number; command: string } | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    const command = (await readFile(`/proc/${pid}/cmdline`, "utf8")).replaceAll("\0", " ").trim();
    return { pid, parent: Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]), command };
  } catch {
    return undefined;
  }
}
