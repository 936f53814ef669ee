import type { KubeObject } from "../../types.ts";
import { findCondition, withCondition } from "../conditions.ts";
import {
  type Context,
  type Controller,
  keyOf,
  lookUp,
  ownChanges,
  timestamp,
  type Watch,
} from "../controller.ts";
import type { Pod } from "../kinds.ts";
import { isDeleting } from "../owners.ts";
import { resourceTypes } from "../resource-types.ts";
import { hostIP, nodeName } from "../simulation.ts";
import { writeStatus } from "../write-status.ts";
import { assignNode, type NodeObject } from "./assign-node.ts";
import { isRunning } from "./container-run.ts";
import { PodAddresses } from "./pod-addresses.ts";
import { podCondition } from "./pod-conditions.ts";
import { recordPodEvent } from "./pod-events.ts";
import { type MissingNeed, missingClaim, missingEnvironment, missingVolume, wantsKey } from "./pod-needs.ts";
import { PodRun } from "./pod-run.ts";
import { podStatus } from "./pod-status.ts";

/** Stands in for kube-scheduler and the kubelet of the one simulated node. */
export class Kubelet implements Controller {
  readonly name = "kubelet";
  readonly watches: readonly Watch[];
  readonly #context: Context;
  readonly #addresses: PodAddresses;
  readonly #runs = new Map<string, PodRun>();
  readonly #unscheduled = new Set<string>();
  /** Keys of Pods by the ConfigMap, Secret or claim that they wait for. */
  readonly #waiting = new Map<string, Set<string>>();

  constructor(context: Context) {
    this.#context = context;
    this.#addresses = new PodAddresses(context.objects);
    const { configMaps, secrets, persistentVolumeClaims } = resourceTypes;
    this.watches = [
      ownChanges(resourceTypes.pods),
      { type: resourceTypes.nodes, keysOf: () => this.#unscheduled },
      ...[configMaps, secrets, persistentVolumeClaims].map((type) => ({
        type,
        keysOf: (object: KubeObject) => this.#wakenBy(type, object),
      })),
    ];
  }

  async reconcile(key: string): Promise<number | undefined> {
    const pod = lookUp<Pod>(this.#context.objects, resourceTypes.pods, key);
    const known = this.#runs.get(key);
    if (known && known.uid !== pod?.metadata.uid) this.#forget(key, known.uid);
    if (!pod || pod.spec.nodeName) this.#unscheduled.delete(key);
    if (!pod) return undefined;
    if (isDeleting(pod)) return this.#terminate(pod);
    if (isOver(pod)) return undefined;
    const bound = pod.spec.nodeName ? pod : await this.#schedule(pod);
    return bound?.spec.nodeName === nodeName ? this.#run(bound) : undefined;
  }

  /** The Pod's life as known here, or as its status tells it. */
  runOf(pod: Pod): PodRun {
    const key = keyOf(pod);
    const known = this.#runs.get(key);
    if (known && known.uid === pod.metadata.uid) return known;
    const run = new PodRun(pod, {
      nowMs: this.#context.clock.now(),
      podReadyDelayMs: this.#context.podReadyDelayMs,
    });
    if (!isOver(pod)) this.#runs.set(key, run);
    return run;
  }

  async #run(pod: Pod): Promise<number | undefined> {
    const { clock, objects } = this.#context;
    const run = this.runOf(pod);
    const nowMs = clock.now();
    const missing = run.hasStarted ? undefined : this.#missing(pod, run, nowMs);
    const blocked = missing && {
      reason: missing.volume ? "ContainerCreating" : "CreateContainerConfigError",
      message: missing.volume ? "" : missing.message,
    };
    const happened = missing ? [] : run.advance(nowMs);
    const podIP = pod.spec.hostNetwork ? hostIP : this.#addresses.of(run.uid);
    const status = podStatus({ pod, run, podIP, nowMs, blocked });
    for (const happening of happened) recordPodEvent(this.#context, pod, happening);
    await writeStatus(objects, resourceTypes.pods, { object: pod, status });
    if (missing) return undefined;
    const nextMs = run.nextMs(nowMs);
    return nextMs === undefined ? undefined : nextMs - clock.now();
  }

  #missing(pod: Pod, run: PodRun, nowMs: number): MissingNeed | undefined {
    const { events, objects } = this.#context;
    const missing =
      missingVolume(pod, objects) ?? (nowMs >= run.startsAtMs ? missingEnvironment(pod, objects) : undefined);
    if (!missing) return undefined;
    if (!this.#await(pod, missing)) return missing;
    const message = missing.volume
      ? `MountVolume.SetUp failed for volume "${missing.volume}" : ${missing.message}`
      : `Error: ${missing.message}`;
    events.record(pod, {
      type: "Warning",
      reason: missing.volume ? "FailedMount" : "Failed",
      message,
      component: "kubelet",
      host: nodeName,
    });
    return missing;
  }

  async #schedule(pod: Pod): Promise<Pod | undefined> {
    const { events, objects } = this.#context;
    const scheduler = pod.spec.schedulerName ?? "default-scheduler";
    if (scheduler !== "default-scheduler") return undefined;
    const claim = missingClaim(pod, objects);
    if (claim) this.#await(pod, claim);
    const node = objects.get<NodeObject>(resourceTypes.nodes, "", nodeName);
    const assignment = assignNode(pod, node, claim?.message);
    if (!("node" in assignment)) {
      await this.#leaveUnscheduled(pod, assignment);
      return undefined;
    }
    const assigned = { ...pod, spec: { ...pod.spec, nodeName: assignment.node } };
    const bound = await objects.update<Pod>(resourceTypes.pods, assigned, "binding");
    this.#unscheduled.delete(keyOf(pod));
    const message = `Successfully assigned ${keyOf(pod)} to ${assignment.node}`;
    events.record(pod, { type: "Normal", reason: "Scheduled", message, component: scheduler });
    return bound;
  }

  async #leaveUnscheduled(pod: Pod, { reason, message }: { reason: string; message: string }): Promise<void> {
    const { clock, events, objects } = this.#context;
    this.#unscheduled.add(keyOf(pod));
    const before = findCondition(pod.status?.conditions, "PodScheduled");
    const condition = podCondition(pod, "PodScheduled", { status: "False", reason, message });
    const conditions = withCondition(pod.status?.conditions, condition, timestamp(clock.now()));
    const status = { ...pod.status, phase: "Pending", conditions };
    await writeStatus(objects, resourceTypes.pods, { object: pod, status });
    if (before?.message === message || reason !== "Unschedulable") return;
    events.record(pod, {
      type: "Warning",
      reason: "FailedScheduling",
      message,
      component: "default-scheduler",
    });
  }

  /** A simulated container stops at once; the Pod goes without waiting for its grace period. */
  async #terminate(pod: Pod): Promise<undefined> {
    const { clock, objects } = this.#context;
    if (pod.metadata.deletionGracePeriodSeconds === 0 && this.#runs.get(keyOf(pod))?.stopped) return;
    if (pod.spec.nodeName === nodeName && !isOver(pod)) {
      const run = this.runOf(pod);
      for (const one of run.containers)
        if (isRunning(one)) recordPodEvent(this.#context, pod, { what: "stopping", run: one });
      run.stop(clock.now(), "deleted");
      await this.#tellStopped(pod, run);
    }
    const { namespace = "", name = "", uid = "" } = pod.metadata;
    await objects.delete(resourceTypes.pods, namespace, name, { uid, gracePeriodSeconds: 0 });
  }

  /** Only whoever holds a finalizer on the Pod will ever see this. */
  async #tellStopped(pod: Pod, run: PodRun): Promise<void> {
    if ((pod.metadata.finalizers ?? []).length === 0) return;
    const nowMs = this.#context.clock.now();
    const status = podStatus({ pod, run, podIP: this.#addresses.of(run.uid), nowMs });
    await writeStatus(this.#context.objects, resourceTypes.pods, { object: pod, status });
  }

  #forget(key: string, uid: string): void {
    this.#runs.delete(key);
    this.#addresses.release(uid);
  }

  /** Whether this is news. */
  #await(pod: Pod, { wants }: MissingNeed): boolean {
    const waiting = this.#waiting.get(wants) ?? new Set();
    const { size } = waiting;
    this.#waiting.set(wants, waiting.add(keyOf(pod)));
    return waiting.size > size;
  }

  #wakenBy(type: string, object: KubeObject): Iterable<string> {
    const wants = wantsKey(type, object.metadata.namespace ?? "", object.metadata.name ?? "");
    const waiting = this.#waiting.get(wants) ?? [];
    this.#waiting.delete(wants);
    return waiting;
  }
}

function isOver(pod: Pod): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}
