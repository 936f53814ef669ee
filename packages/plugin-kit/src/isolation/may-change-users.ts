import { readFileSync } from "node:fs";

/** CAP_CHOWN, CAP_SETGID, CAP_SETUID (linux/capability.h). */
const needed = (1n << 0n) | (1n << 6n) | (1n << 7n);

/** Whether this process is root and has what root usually has: in a sandbox it is nobody's superior. */
export function mayChangeUsers(): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    const [, effective = "0"] =
      /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
    return (BigInt(`0x${effective}`) & needed) === needed;
  } catch (error) {
    if (error instanceof Error && "code" in error) return true; // elsewhere than on Linux
    throw error;
  }
}
