import { createHash } from "node:crypto";
import { timestamp } from "../controller.ts";
import type { ContainerState, ContainerStatus, Pod, PodStatus } from "../kinds.ts";
import { hostIP } from "../simulation.ts";
import { backoffMs, type ContainerRun, type Ended, isRunning, willRestart } from "./container-run.ts";
import { podConditions } from "./pod-conditions.ts";
import type { PodRun } from "./pod-run.ts";
import { qosClass } from "./qos-class.ts";

export interface StatusFacts {
  pod: Pod;
  run: PodRun;
  podIP: string;
  nowMs: number;
  /** Why no container may start yet: a missing volume, ConfigMap or Secret. */
  blocked?: { reason: string; message: string } | undefined;
}

export function podStatus(facts: StatusFacts): PodStatus {
  const { pod, run, podIP, nowMs } = facts;
  const hasSandbox =
    run.hasStarted || (run.startsAtMs <= nowMs && facts.blocked?.reason !== "ContainerCreating");
  const containers = {
    inits: run.inits.map((one) => containerStatus(facts, one)),
    mains: run.mains.map((one) => containerStatus(facts, one)),
  };
  return {
    ...pod.status,
    phase: run.phase,
    ...(pod.metadata.generation !== undefined && { observedGeneration: pod.metadata.generation }),
    conditions: podConditions({ pod, phase: run.phase, hasSandbox, ...containers, now: timestamp(nowMs) }),
    hostIP,
    hostIPs: [{ ip: hostIP }],
    ...(hasSandbox && { podIP, podIPs: [{ ip: podIP }] }),
    startTime: timestamp(run.acceptedMs),
    ...(containers.inits.length > 0 && { initContainerStatuses: containers.inits }),
    containerStatuses: containers.mains,
    qosClass: qosClass(pod),
    ...(run.stopped === "deadline" && {
      reason: "DeadlineExceeded",
      message: "Pod was active on the node longer than the specified deadline",
    }),
  };
}

function containerStatus(facts: StatusFacts, run: ContainerRun): ContainerStatus {
  const { run: podRun } = facts;
  const image = run.container.image ?? "";
  const restarting = willRestart(run, podRun.restartPolicy) && !podRun.isOver;
  const id = containerId(podRun.uid, run);
  const last = restarting ? run.ended : run.previous;
  const started = isRunning(run);
  const hasRun = run.startedMs !== undefined;
  return {
    name: run.container.name,
    image,
    imageID: hasRun ? imageId(image) : "",
    ...(hasRun && { containerID: id }),
    ready: run.role === "init" ? run.ended?.exitCode === 0 : started && run.behaviour.becomesReady,
    started,
    restartCount: run.restarts,
    state: stateOf(facts, run, { restarting, id }),
    lastState: last
      ? { terminated: terminated(last, restarting ? id : containerId(podRun.uid, run, 1)) }
      : {},
  };
}

function stateOf(
  facts: StatusFacts,
  run: ContainerRun,
  { restarting, id }: { restarting: boolean; id: string },
): ContainerState {
  if (restarting) return { waiting: { reason: "CrashLoopBackOff", message: backoffMessage(facts.pod, run) } };
  if (run.ended) return { terminated: terminated(run.ended, id) };
  if (run.startedMs !== undefined) return { running: { startedAt: timestamp(run.startedMs) } };
  return { waiting: waitingReason(facts, run) };
}

function waitingReason(
  { run: podRun, blocked, nowMs }: StatusFacts,
  run: ContainerRun,
): { reason: string; message?: string } {
  if (blocked) return blocked.message === "" ? { reason: blocked.reason } : blocked;
  const isFirst = run.role !== "main" ? podRun.inits[0] === run : podRun.inits.length === 0;
  if (isFirst && run.behaviour.imageFails && podRun.startsAtMs <= nowMs) {
    return { reason: "ImagePullBackOff", message: `Back-off pulling image "${run.container.image ?? ""}"` };
  }
  return { reason: podRun.inits.length > 0 ? "PodInitializing" : "ContainerCreating" };
}

function backoffMessage(pod: Pod, run: ContainerRun): string {
  const { name, namespace, uid } = pod.metadata;
  return `back-off ${goSeconds(backoffMs(run))} restarting failed container=${run.container.name} pod=${name}_${namespace}(${uid})`;
}

/** As Go prints a duration of whole seconds: "10s", "1m20s". */
function goSeconds(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}

function terminated(ended: Ended, containerID: string): NonNullable<ContainerState["terminated"]> {
  return {
    exitCode: ended.exitCode,
    reason: ended.exitCode === 0 ? "Completed" : "Error",
    startedAt: timestamp(ended.startedMs),
    finishedAt: timestamp(ended.endedMs),
    containerID,
  };
}

function containerId(uid: string, run: ContainerRun, ago = 0): string {
  return `capstan-simulated://${sha256(`${uid}/${run.container.name}/${run.restarts - ago}`)}`;
}

/** Not the image's real digest, which nobody looked up: the same for the same name. */
function imageId(image: string): string {
  const repository = image.split("@")[0]?.replace(/:[^:/]*$/, "") ?? image;
  return image.includes("@sha256:") ? image : `${repository}@sha256:${sha256(image)}`;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
