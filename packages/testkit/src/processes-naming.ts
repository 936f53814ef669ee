import { readdir, readFile } from "node:fs/promises";

interface NamingProcess {
  readonly pid: number;
  readonly line: string;
}

/** Processes other than this one in whose words or environment a text stands, as a folder of the test; by Linux's /proc. */
export async function processesNaming(text: string): Promise<NamingProcess[]> {
  const found: NamingProcess[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const texts = await Promise.all(
      // One that has just ended has neither.
      ["cmdline", "environ"].map((file) => readFile(`/proc/${name}/${file}`, "utf8").catch(() => "")),
    );
    const line = texts[0]?.replaceAll("\0", " ") ?? "";
    if (texts.some((one) => one.includes(text))) found.push({ pid: Number(name), line });
  }
  return found;
}

/** For a test that fails: what it has left would hold its pipes open, and it would not end. */
export async function endProcessesNaming(text: string): Promise<void> {
  for (const { pid } of await processesNaming(text))
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
}
