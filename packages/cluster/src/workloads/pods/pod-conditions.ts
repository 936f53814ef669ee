import { findCondition, withCondition } from "../conditions.ts";
import type { Condition, Container, ContainerStatus, Pod } from "../kinds.ts";

export interface ConditionFacts {
  pod: Pod;
  phase: string;
  hasSandbox: boolean;
  inits: readonly ContainerStatus[];
  mains: readonly ContainerStatus[];
  now: string;
}

interface Verdict {
  status: "True" | "False";
  reason?: string;
  message?: string;
}

/** The kubelet's conditions, in its order, as pkg/kubelet/status/generate.go words them; others' conditions stay. */
export function podConditions(facts: ConditionFacts): readonly Condition[] {
  const { pod, now } = facts;
  const containersReady = containersReadyVerdict(facts);
  const verdicts: [string, Verdict][] = [
    ["PodReadyToStartContainers", { status: facts.hasSandbox && !isOver(facts.phase) ? "True" : "False" }],
    ["Initialized", initializedVerdict(facts)],
    ["Ready", containersReady.status === "True" ? readinessGatesVerdict(pod) : containersReady],
    ["ContainersReady", containersReady],
    ["PodScheduled", { status: "True" }],
  ];
  const conditions: Condition[] = verdicts.flatMap(([type, verdict]) => {
    const before = findCondition(pod.status?.conditions, type);
    return withCondition(before && [before], podCondition(pod, type, verdict), now);
  });
  for (const other of pod.status?.conditions ?? []) {
    if (!findCondition(conditions, other.type)) conditions.push(other);
  }
  return conditions;
}

export function podCondition(pod: Pod, type: string, verdict: Verdict): Condition {
  const { generation } = pod.metadata;
  return {
    type,
    ...(generation !== undefined && { observedGeneration: generation }),
    ...verdict,
    lastProbeTime: null,
  };
}

function containersReadyVerdict({ pod, phase, inits, mains }: ConditionFacts): Verdict {
  if (phase === "Failed") return { status: "False", reason: "PodFailed" };
  if (phase === "Succeeded") return { status: "False", reason: "PodCompleted" };
  const sidecars = (pod.spec.initContainers ?? []).filter(isSidecar).map(({ name }) => name);
  const unready = [...inits.filter(({ name }) => sidecars.includes(name)), ...mains].filter(
    ({ ready }) => !ready,
  );
  return unready.length === 0 ? { status: "True" } : notReady("ContainersNotReady", "unready", unready);
}

function initializedVerdict({ pod, phase, inits, mains }: ConditionFacts): Verdict {
  if (phase === "Succeeded") return { status: "True", reason: "PodCompleted" };
  if (mains.some(({ state, lastState }) => state.running ?? state.terminated ?? lastState.terminated))
    return { status: "True" };
  const sidecars = (pod.spec.initContainers ?? []).filter(isSidecar).map(({ name }) => name);
  const incomplete = inits.filter(({ name, ready, started }) => !(sidecars.includes(name) ? started : ready));
  return incomplete.length === 0
    ? { status: "True" }
    : notReady("ContainersNotInitialized", "incomplete", incomplete);
}

function readinessGatesVerdict(pod: Pod): Verdict {
  const messages = (pod.spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const condition = findCondition(pod.status?.conditions, conditionType);
    if (!condition) return `corresponding condition of pod readiness gate "${conditionType}" does not exist.`;
    if (condition.status === "True") return [];
    return `the status of pod readiness gate "${conditionType}" is not "True", but ${condition.status}`;
  });
  if (messages.length === 0) return { status: "True" };
  return { status: "False", reason: "ReadinessGatesNotReady", message: messages.join(", ") };
}

function notReady(reason: string, word: string, containers: readonly { name: string }[]): Verdict {
  const names = containers.map(({ name }) => name).join(" ");
  return { status: "False", reason, message: `containers with ${word} status: [${names}]` };
}

function isSidecar(container: Container): boolean {
  return container.restartPolicy === "Always";
}

function isOver(phase: string): boolean {
  return phase === "Succeeded" || phase === "Failed";
}
