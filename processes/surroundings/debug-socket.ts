import { join } from "node:path";

/** Of a data folder, which one process owns at a time. */
export function debugSocket(dataDir: string): string {
  return join(dataDir, "debug.sock");
}
