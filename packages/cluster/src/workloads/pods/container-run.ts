import { growingPause } from "@capstan/flow";
import type { Container, ContainerStatus } from "../kinds.ts";
import type { Behaviour, ContainerRole } from "./container-behaviour.ts";

export interface Ended {
  startedMs: number;
  endedMs: number;
  exitCode: number;
}

/** One container's life so far. It runs while `startedMs` is set and `ended` is not. */
export interface ContainerRun {
  readonly container: Container;
  readonly role: ContainerRole;
  readonly behaviour: Behaviour;
  restarts: number;
  /** Restarts since it last ran for ten minutes. */
  backoffs: number;
  startedMs: number | undefined;
  ended: Ended | undefined;
  previous: Ended | undefined;
  /** Its image was asked for in vain. */
  lacksImage: boolean;
}

const firstBackoffMs = 10_000;
const longestBackoffMs = 300_000;
/** A container that ran this long starts over with its back-off, as the kubelet's flowcontrol.Backoff does. */
const steadyMs = 600_000;

export function newContainerRun(facts: Pick<ContainerRun, "container" | "role" | "behaviour">): ContainerRun {
  return {
    ...facts,
    restarts: 0,
    backoffs: 0,
    startedMs: undefined,
    ended: undefined,
    previous: undefined,
    lacksImage: false,
  };
}

export function isRunning(run: ContainerRun): boolean {
  return run.startedMs !== undefined && run.ended === undefined;
}

export function hasSucceeded(run: ContainerRun): boolean {
  return run.ended?.exitCode === 0;
}

/** When a running container ends by itself; undefined while it does not run. */
export function endsAtMs(run: ContainerRun): number | undefined {
  return isRunning(run) ? (run.startedMs ?? 0) + run.behaviour.durationMs : undefined;
}

export function willRestart(run: ContainerRun, podPolicy: string): boolean {
  if (!run.ended) return false;
  if (run.role === "sidecar") return true;
  if (podPolicy === "Never") return false;
  if (podPolicy === "Always" && run.role === "main") return true;
  return run.ended.exitCode !== 0;
}

export function backoffMs(run: ContainerRun): number {
  return growingPause(run.backoffs, { firstMs: firstBackoffMs, longestMs: longestBackoffMs });
}

export function restartsAtMs(run: ContainerRun): number {
  return (run.ended?.endedMs ?? 0) + backoffMs(run);
}

export function start(run: ContainerRun, nowMs: number): void {
  if (run.ended) {
    run.previous = run.ended;
    run.ended = undefined;
    run.restarts += 1;
    run.backoffs += 1;
  }
  run.startedMs = nowMs;
}

export function end(run: ContainerRun, atMs: number, exitCode: number): void {
  const startedMs = run.startedMs ?? atMs;
  run.ended = { startedMs, endedMs: atMs, exitCode };
  if (atMs - startedMs >= steadyMs) run.backoffs = 0;
}

/** Takes up what an earlier process wrote about this container. */
export function restore(run: ContainerRun, status: ContainerStatus | undefined): void {
  if (!status) return;
  run.restarts = status.restartCount;
  run.backoffs = status.restartCount;
  run.previous = endedOf(status.lastState.terminated);
  const ended = endedOf(status.state.terminated);
  if (status.state.running) run.startedMs = Date.parse(status.state.running.startedAt);
  else if (ended) run.ended = ended;
  else if (run.previous) run.ended = run.previous;
  if (run.ended) run.startedMs = run.ended.startedMs;
}

function endedOf(terminated: ContainerStatus["state"]["terminated"]): Ended | undefined {
  if (!terminated) return undefined;
  const { startedAt, finishedAt, exitCode } = terminated;
  return { startedMs: Date.parse(startedAt), endedMs: Date.parse(finishedAt), exitCode };
}
