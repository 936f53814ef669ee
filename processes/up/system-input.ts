import type { Clock } from "@capstan/flow";
import type { Log } from "@capstan/plugin-kit";
import type { UpOptions } from "./options.ts";
import type { StartRepoProcess } from "./start-repo-process.ts";

export interface SystemInput {
  options: UpOptions;
  adminPassword: string;
  version: string;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
  startRepoServer: StartRepoProcess;
}
