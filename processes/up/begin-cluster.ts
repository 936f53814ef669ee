import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { startClusterThread } from "@capstan/cluster/thread";
import type { Log } from "@capstan/plugin-kit";
import { openAuditLog } from "./audit-log.ts";
import type { UpOptions } from "./options.ts";

/** The embedded cluster, which opens in a thread of its own. */
export interface BegunCluster extends AsyncDisposable {
  /** Fails with what kept it from opening. */
  readonly opening: ReturnType<typeof startClusterThread>;
}

/** Loads next to nothing: opening takes longer than all else of a start. */
export function beginCluster(options: UpOptions, log: Log): BegunCluster {
  const dataDir = join(options.dataDir, "cluster");
  const audit = options.auditLog === undefined ? undefined : openAuditLog(options.auditLog, log);
  const open = async () => {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    return startClusterThread({
      dataDir,
      ...(audit ? { audit } : {}),
      podReadyDelayMs: options.podReadyDelayMs,
      loadsFirst: new URL("../surroundings/memory-at-rest.ts", import.meta.url),
      log: ({ level, message, ...facts }) => log[level](facts, message),
    });
  };
  const opening = open();
  const opened = opening.catch(() => undefined); // whoever waits for it is told
  return {
    opening,
    [Symbol.asyncDispose]: async () => {
      await (await opened)?.close();
      await audit?.[Symbol.asyncDispose]();
    },
  };
}
