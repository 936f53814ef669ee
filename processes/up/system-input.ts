import type { Clock } from "@capstan/model";
import type { Log } from "@capstan/plugin-kit";
import type { RepoProcess } from "@capstan/servers/repo";
import type { UpOptions } from "./options.ts";

export const controlNamespace = "argocd";

export interface SystemInput {
  options: UpOptions;
  adminPassword: string;
  version: string;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
  /** Also when it is called again: another one. */
  startRepoServer: () => RepoProcess;
}

export const userAgentOf = ({ version }: SystemInput): string => `capstan/${version}`;
