import type { Clock } from "@capstan/flow";
import type { Objects } from "../../types.ts";
import type { Pod } from "../kinds.ts";
import { type ContainerRun, type Ended, endsAtMs } from "./container-run.ts";
import type { PodRun } from "./pod-run.ts";

export interface PodLogInput {
  namespace: string;
  name: string;
  container?: string;
  follow: boolean;
  tailLines?: number;
  sinceSeconds?: number;
  sinceTime?: string;
  timestamps: boolean;
  previous: boolean;
  limitBytes?: number;
  signal: AbortSignal;
}

export interface LogNeeds {
  objects: Objects;
  clock: Clock;
  /** Ends every followed log when the cluster stops. */
  signal: AbortSignal;
  runOf(pod: Pod): PodRun;
}

export interface LogLine {
  atMs: number;
  text: string;
}

/** What a run of the container has printed by now. */
export function linesOf(run: ContainerRun, ended: Ended | undefined, nowMs: number): LogLine[] {
  const startedMs = ended?.startedMs ?? run.startedMs ?? nowMs;
  const untilMs = Math.min(ended?.endedMs ?? nowMs, nowMs);
  const lines: LogLine[] = [];
  for (const { atMs, text } of run.behaviour.lines) {
    if (startedMs + atMs <= untilMs) lines.push({ atMs: startedMs + atMs, text });
  }
  return lines;
}

/** When the run prints its next line or ends. */
export function nextLineMs(run: ContainerRun, nowMs: number): number {
  const startedMs = run.startedMs ?? nowMs;
  const next = run.behaviour.lines.find(({ atMs }) => startedMs + atMs > nowMs);
  return Math.min(
    next ? startedMs + next.atMs : Number.POSITIVE_INFINITY,
    endsAtMs(run) ?? Number.POSITIVE_INFINITY,
  );
}

export function printLines(lines: readonly LogLine[], input: PodLogInput, nowMs: number): string {
  const sinceMs =
    input.sinceSeconds !== undefined ? nowMs - input.sinceSeconds * 1_000 : Date.parse(input.sinceTime ?? "");
  let kept = Number.isNaN(sinceMs) ? lines : lines.filter(({ atMs }) => atMs >= sinceMs);
  if (input.tailLines !== undefined) kept = input.tailLines === 0 ? [] : kept.slice(-input.tailLines);
  const text = kept.map((line) => printLine(line, input.timestamps)).join("");
  return input.limitBytes === undefined ? text : Buffer.from(text).subarray(0, input.limitBytes).toString();
}

export function printLine({ atMs, text }: LogLine, timestamps: boolean): string {
  return timestamps ? `${new Date(atMs).toISOString().replace("Z", "000000Z")} ${text}\n` : `${text}\n`;
}
