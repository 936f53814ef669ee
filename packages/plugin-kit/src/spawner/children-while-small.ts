import { ownChildren, type ProgramStarter } from "../start-program.ts";
import type { Spawner } from "./spawner.ts";

/** Some 60 MB of it are Node's program itself, which no fork copies. */
const smallBytes = 192 * 2 ** 20;

/**
 * Starts programs that are seldom started: by the small process where there is one by now, or where this one has
 * grown; else itself, so that a process of 50 MB is not begun and kept for three forks of two milliseconds.
 */
export function childrenWhileSmall(spawner: Spawner, small = smallBytes): ProgramStarter {
  const isDear = (): boolean => spawner.hasBegun || process.memoryUsage.rss() > small;
  return {
    start: (wanted) => (wanted.owner !== undefined || isDear() ? spawner : ownChildren).start(wanted),
  };
}
