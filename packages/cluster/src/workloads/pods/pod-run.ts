import type { Container, Pod } from "../kinds.ts";
import { readyDelayMs } from "../simulation.ts";
import { containerBehaviour, containerRole } from "./container-behaviour.ts";
import {
  backoffMs,
  type ContainerRun,
  end,
  endsAtMs,
  hasSucceeded,
  isRunning,
  newContainerRun,
  restartsAtMs,
  restore,
  start,
  willRestart,
} from "./container-run.ts";

export interface Happening {
  what: "started" | "backing-off" | "image-failed";
  run: ContainerRun;
}

/** 128 + SIGTERM */
const stoppedExitCode = 143;

/** The life of one Pod on the simulated node: moved on by the clock, told in its status. */
export class PodRun {
  readonly uid: string;
  readonly restartPolicy: string;
  readonly acceptedMs: number;
  readonly startsAtMs: number;
  readonly deadlineMs: number;
  readonly inits: readonly ContainerRun[];
  readonly mains: readonly ContainerRun[];
  /** Set once the Pod was stopped from outside. */
  stopped: "deleted" | "deadline" | undefined;

  constructor(pod: Pod, facts: { nowMs: number; podReadyDelayMs: number }) {
    const usualMs = readyDelayMs(pod, facts.podReadyDelayMs);
    const accepted = pod.status?.startTime;
    this.uid = pod.metadata.uid ?? "";
    this.restartPolicy = pod.spec.restartPolicy ?? "Always";
    this.acceptedMs = accepted === undefined ? facts.nowMs : Date.parse(accepted);
    this.startsAtMs = facts.nowMs + usualMs;
    this.deadlineMs = this.acceptedMs + (pod.spec.activeDeadlineSeconds ?? Number.POSITIVE_INFINITY) * 1_000;
    const begin = (container: Container, isInit: boolean) => {
      const role = containerRole(container, isInit);
      const run = newContainerRun({
        container,
        role,
        behaviour: containerBehaviour(pod, container, { role, usualMs }),
      });
      const statuses = isInit ? pod.status?.initContainerStatuses : pod.status?.containerStatuses;
      restore(
        run,
        statuses?.find(({ name }) => name === container.name),
      );
      return run;
    };
    this.inits = (pod.spec.initContainers ?? []).map((container) => begin(container, true));
    this.mains = pod.spec.containers.map((container) => begin(container, false));
  }

  get containers(): readonly ContainerRun[] {
    return [...this.inits, ...this.mains];
  }

  get hasStarted(): boolean {
    return this.containers.some(({ startedMs }) => startedMs !== undefined);
  }

  get phase(): "Pending" | "Running" | "Succeeded" | "Failed" {
    if (this.stopped)
      return this.stopped === "deleted" && this.mains.every(hasSucceeded) ? "Succeeded" : "Failed";
    const steps = this.inits.filter(({ role }) => role === "init");
    if (steps.some((run) => run.ended && run.ended.exitCode !== 0 && !willRestart(run, this.restartPolicy)))
      return "Failed";
    if (this.mains.some(({ startedMs }) => startedMs === undefined)) return "Pending";
    if (this.mains.some((run) => !run.ended || willRestart(run, this.restartPolicy))) return "Running";
    return this.mains.every(hasSucceeded) ? "Succeeded" : "Failed";
  }

  get isOver(): boolean {
    return this.phase === "Succeeded" || this.phase === "Failed";
  }

  /** Lets happen all that is due. */
  advance(nowMs: number): Happening[] {
    const happened: Happening[] = [];
    if (nowMs >= this.deadlineMs && !this.isOver) this.stop(nowMs, "deadline");
    while (!this.isOver && this.#step(nowMs, happened));
    if (this.isOver) this.#endAll(nowMs, 0);
    return happened;
  }

  stop(nowMs: number, because: "deleted" | "deadline"): void {
    this.stopped = because;
    this.#endAll(nowMs, stoppedExitCode);
  }

  /** When something happens next by itself. An image that cannot be had waits for a change of the Pod. */
  nextMs(nowMs: number): number | undefined {
    if (this.isOver) return undefined;
    const times = this.containers.flatMap((run) => {
      if (run.ended) return willRestart(run, this.restartPolicy) ? [restartsAtMs(run)] : [];
      return endsAtMs(run) ?? [];
    });
    if (!this.hasStarted) times.push(this.startsAtMs);
    const next = Math.min(this.deadlineMs, ...times.filter((time) => time > nowMs));
    return Number.isFinite(next) ? next : undefined;
  }

  #step(nowMs: number, happened: Happening[]): boolean {
    for (const run of this.inits) {
      if (this.#move(run, nowMs, happened)) return true;
      const isPassed = run.role === "sidecar" ? run.startedMs !== undefined : hasSucceeded(run);
      if (!isPassed) return false;
    }
    let moved = false;
    for (const run of this.mains) moved = this.#move(run, nowMs, happened) || moved;
    return moved;
  }

  #move(run: ContainerRun, nowMs: number, happened: Happening[]): boolean {
    const endsAt = endsAtMs(run);
    if (endsAt !== undefined) {
      if (endsAt > nowMs) return false;
      end(run, endsAt, run.behaviour.exitCode);
      if (willRestart(run, this.restartPolicy) && backoffMs(run) > 0)
        happened.push({ what: "backing-off", run });
      return true;
    }
    const isDue = run.ended
      ? willRestart(run, this.restartPolicy) && restartsAtMs(run) <= nowMs
      : this.hasStarted || this.startsAtMs <= nowMs;
    if (!isDue) return false;
    if (run.behaviour.imageFails) {
      if (!run.lacksImage) happened.push({ what: "image-failed", run });
      run.lacksImage = true;
      return false;
    }
    start(run, nowMs);
    happened.push({ what: "started", run });
    return true;
  }

  #endAll(nowMs: number, exitCode: number): void {
    for (const run of this.containers) if (isRunning(run)) end(run, nowMs, exitCode);
  }
}
