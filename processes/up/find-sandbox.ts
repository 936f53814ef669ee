import type { Clock } from "@capstan/flow";
import { findOnPath, mayChangeUsers, type ProbedSandbox, probeOuterSandbox } from "@capstan/plugin-kit";

/** Which way bubblewrap works for a process that starts sandboxes itself; the reason where none does. */
export async function findSandbox(clock: Clock, signal: AbortSignal): Promise<ProbedSandbox> {
  const bwrap = findOnPath("bwrap", process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin");
  if (bwrap === undefined) return { why: "bubblewrap (bwrap) is not installed" };
  return probeOuterSandbox({ bwrap, isRoot: mayChangeUsers() }, { clock, signal });
}
