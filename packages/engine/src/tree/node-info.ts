import { groupOf, type InfoItem, type Manifest } from "@capstan/model";
import { countOf, type Fields, fieldsAt, listAt, textOf } from "../health/health-rule.ts";
import { hasEnded, inMilli, podRequests } from "./pod-requests.ts";

/** Facts under a node's name, in Argo CD's words, which its UI and others read. */
export function infoOf(manifest: Manifest, customLabels: readonly string[] = []): InfoItem[] {
  const group = groupOf(manifest.apiVersion);
  const labels = manifest.metadata.labels ?? {};
  const chosen = customLabels
    .filter((name) => Object.hasOwn(labels, name))
    .map((name) => ({ name, value: labels[name] ?? "" }));
  if (group === "" && manifest.kind === "Pod") return [...chosen, ...podInfo(manifest)];
  if (group === "apps" && manifest.kind === "ReplicaSet") return [...revisionInfo(manifest), ...chosen];
  return chosen;
}

function revisionInfo({ metadata }: Manifest): InfoItem[] {
  const revision = metadata.annotations?.["deployment.kubernetes.io/revision"];
  return revision === undefined ? [] : [{ name: "Revision", value: `Rev:${revision}` }];
}

function podInfo(pod: Manifest): InfoItem[] {
  const containers = listAt(pod, "status", "containerStatuses");
  const initial = listAt(pod, "status", "initContainerStatuses");
  const sidecars = new Set(
    listAt(pod, "spec", "initContainers")
      .filter(({ restartPolicy }) => restartPolicy === "Always")
      .map(({ name }) => name),
  );
  const staying = [...containers, ...initial.filter(({ name }) => sidecars.has(name))];
  const total = listAt(pod, "spec", "containers").length + sidecars.size;
  const ready = staying.filter((container) => container.ready === true).length;
  const restarts = [...initial, ...containers].reduce((sum, one) => sum + countOf(one.restartCount), 0);
  const node = textOf(fieldsAt(pod, "spec").nodeName);
  const items: InfoItem[] = [];
  const reason = podReason(pod);
  if (reason !== "") items.push({ name: "Status Reason", value: reason });
  if (node !== "") items.push({ name: "Node", value: node });
  items.push({ name: "Containers", value: `${ready}/${total}` });
  if (restarts > 0) items.push({ name: "Restart Count", value: String(restarts) });
  return [...items, ...requestInfo(pod)];
}

/** In thousandths; what has ended asks for nothing any more. */
function requestInfo(pod: Manifest): InfoItem[] {
  if (hasEnded(pod)) return [];
  const requests = podRequests(pod);
  return ["cpu", "memory"].map((name) => ({ name, value: String(inMilli(requests.get(name) ?? 0n)) }));
}

/** The STATUS column of kubectl get pods (kubernetes printers internalversion printPod). */
export function podReason(pod: Manifest): string {
  const status = fieldsAt(pod, "status");
  const initial = initReason(pod);
  let reason = initial ?? (isGated(pod) ? gated : textOf(status.reason) || textOf(status.phase));
  if (initial === undefined) {
    for (const container of listAt(pod, "status", "containerStatuses").reverse()) {
      reason = containerReason(container) ?? reason;
    }
    if (reason === "Completed" && hasRunning(pod)) reason = isReady(pod) ? "Running" : "NotReady";
  }
  if (pod.metadata.deletionTimestamp === undefined) return reason;
  if (status.reason === "NodeLost") return "Unknown";
  return hasEnded(pod) ? reason : "Terminating";
}

const gated = "SchedulingGated";

function isGated(pod: Manifest): boolean {
  return listAt(pod, "status", "conditions").some(
    ({ type, reason }) => type === "PodScheduled" && reason === gated,
  );
}

function initReason(pod: Manifest): string | undefined {
  const total = listAt(pod, "spec", "initContainers").length;
  for (const [index, container] of listAt(pod, "status", "initContainerStatuses").entries()) {
    const ended = fieldsAt(container, "state", "terminated");
    const isEnded = Object.keys(ended).length > 0;
    if (isEnded && countOf(ended.exitCode) === 0) continue;
    if (container.started === true) continue; // a sidecar that runs on
    if (isEnded) return `Init:${endReason(ended)}`;
    const waiting = textOf(fieldsAt(container, "state", "waiting").reason);
    return waiting !== "" && waiting !== "PodInitializing" ? `Init:${waiting}` : `Init:${index}/${total}`;
  }
  return undefined;
}

function endReason(ended: Fields): string {
  const reason = textOf(ended.reason);
  if (reason !== "") return reason;
  const signal = countOf(ended.signal);
  return signal === 0 ? `ExitCode:${countOf(ended.exitCode)}` : `Signal:${signal}`;
}

function containerReason(container: Fields): string | undefined {
  const waiting = textOf(fieldsAt(container, "state", "waiting").reason);
  if (waiting !== "") return waiting;
  const ended = fieldsAt(container, "state", "terminated");
  return Object.keys(ended).length > 0 ? endReason(ended) : undefined;
}

function hasRunning(pod: Manifest): boolean {
  return listAt(pod, "status", "containerStatuses").some(
    (container) =>
      container.ready === true && Object.keys(fieldsAt(container, "state", "running")).length > 0,
  );
}

function isReady(pod: Manifest): boolean {
  return listAt(pod, "status", "conditions").some(
    ({ type, status }) => type === "Ready" && status === "True",
  );
}
