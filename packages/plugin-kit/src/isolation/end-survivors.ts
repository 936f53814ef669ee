import { readdirSync, readlinkSync } from "node:fs";

/**
 * Ends processes that left their command's process group but still work below one of the directories: by their
 * working directory or an open file. Where there is no /proc there is nothing to find them by. Gives how many.
 */
export function endSurvivors(directories: readonly string[]): number {
  let ended = 0;
  for (const pid of entries("/proc")) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue;
    if (!worksBelow(`/proc/${pid}`, directories)) continue;
    try {
      process.kill(Number(pid), "SIGKILL");
      ended++;
    } catch (error) {
      if (!(error instanceof Error && "code" in error)) throw error;
    }
  }
  return ended;
}

function worksBelow(processPath: string, directories: readonly string[]): boolean {
  const links = [
    `${processPath}/cwd`,
    ...entries(`${processPath}/fd`).map((fd) => `${processPath}/fd/${fd}`),
  ];
  return links.some((link) => {
    const target = readLink(link);
    return directories.some((directory) => target === directory || target.startsWith(`${directory}/`));
  });
}

function entries(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return []; // it ended meanwhile, or belongs to another user
  }
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
