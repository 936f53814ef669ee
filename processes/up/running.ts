import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { isRecord } from "@capstan/formats";
import { isAlive } from "../surroundings/data-folder.ts";

export const dataFlag = {
  kind: "string",
  value: "DIR",
  help: "Where that Capstan keeps everything",
  byDefault: "~/.capstan",
  env: "CAPSTAN_DATA",
} as const;

/** A `capstan up` of this machine. */
export interface RunningUp {
  readonly pid: number;
  /** Whether it answers; before that there are no addresses. */
  readonly isReady: boolean;
  readonly url?: string;
  readonly kubeconfig?: string;
  readonly readyMs?: number;
  readonly firstHealthyMs?: number;
}

export function dataFolderOf(flag: string | undefined): string {
  return resolve(flag ?? join(homedir(), ".capstan"));
}

export function logFileOf(dataDir: string): string {
  return join(dataDir, "up.log");
}

/** What owns a data folder now; undefined: nothing does, whatever was left there. */
export async function readRunning(dataDir: string): Promise<RunningUp | undefined> {
  const pid = Number(await readFile(join(dataDir, "lock"), "utf8").catch(() => ""));
  if (!(pid > 0) || !isAlive(pid) || !(await isCapstan(pid))) return undefined;
  const status = readStatus(await readFile(join(dataDir, "status.json"), "utf8").catch(() => ""));
  if (status.pid !== pid) return { pid, isReady: false };
  const { url, kubeconfig, readyMs, firstHealthyMs } = status;
  return {
    pid,
    isReady: true,
    ...(typeof url === "string" ? { url } : {}),
    ...(typeof kubeconfig === "string" ? { kubeconfig } : {}),
    ...(typeof readyMs === "number" ? { readyMs } : {}),
    ...(typeof firstHealthyMs === "number" ? { firstHealthyMs } : {}),
  };
}

/** One line for each thing that a person needs to know. */
export function runningText(running: RunningUp | undefined, dataDir: string): string {
  const rows: [string, string | number | undefined][] = [
    ["state", stateOf(running)],
    ["page", running?.url],
    ["user", running && `admin, password in ${join(dataDir, "admin-password")}`],
    ["kubectl", running?.kubeconfig && `KUBECONFIG=${running.kubeconfig}`],
    ["process", running && `${running.pid}; capstan down stops it`],
    ["data", dataDir],
    ["log", running && `${logFileOf(dataDir)}; capstan logs shows it`],
  ];
  const lines = rows.flatMap(([name, value]) => (value === undefined ? [] : `${name.padEnd(9)}${value}\n`));
  return lines.join("") + (running ? "" : "Start it: capstan up --detach\n");
}

export function stateOf(running: RunningUp | undefined): "stopped" | "starting" | "running" {
  if (!running) return "stopped";
  return running.isReady ? "running" : "starting";
}

/** After a kill -9 the number may be another program's by now; where there is no /proc it is believed. */
async function isCapstan(pid: number): Promise<boolean> {
  const words = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => undefined);
  return words === undefined || words.split("\0").some((word) => /(^|\/)capstan(\.[jt]s)?$/.test(word));
}

function readStatus(text: string): { readonly [field: string]: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
