import { ApiError, type Clock, type Objects } from "../../types.ts";
import type { Pod } from "../kinds.ts";
import { resourceTypes } from "../resource-types.ts";
import { type ContainerRun, type Ended, endsAtMs } from "./container-run.ts";
import { followLog } from "./follow-log.ts";
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

/** A container's log, made up from its script and its times: nothing is kept of it. */
export function podLog(needs: LogNeeds, input: PodLogInput): string | AsyncIterable<string> {
  const pod = needs.objects.get<Pod>(resourceTypes.pods, input.namespace, input.name);
  if (!pod)
    throw new ApiError(404, "NotFound", `pods "${input.name}" not found`, { name: input.name, kind: "pods" });
  const container = chooseContainer(pod, input.container);
  if (!pod.spec.nodeName) return "";
  const runOf = () => findRun(needs, pod, container);
  const run = runOf();
  if (input.previous) {
    const { previous } = run;
    if (!previous)
      throw badRequest(`previous terminated container "${container}" in pod "${input.name}" not found`);
    return printLines(linesOf(run, previous, needs.clock.now()), input, needs.clock.now());
  }
  if (run.startedMs === undefined) {
    throw badRequest(
      `container "${container}" in pod "${input.name}" is waiting to start: ${waitingReason(pod, container)}`,
    );
  }
  if (input.follow) return followLog(needs, { input, pod, runOf });
  return printLines(linesOf(run, run.ended, needs.clock.now()), input, needs.clock.now());
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

/** As pkg/registry/core/pod/strategy.go LogLocation words it. */
function chooseContainer(pod: Pod, asked: string | undefined): string {
  const { name = "" } = pod.metadata;
  const mains = pod.spec.containers.map((container) => container.name);
  const inits = (pod.spec.initContainers ?? []).map((container) => container.name);
  if (asked !== undefined && asked !== "") {
    if ([...mains, ...inits].includes(asked)) return asked;
    throw badRequest(`container ${asked} is not valid for pod ${name}`);
  }
  const [only, ...others] = mains;
  if (only !== undefined && others.length === 0 && inits.length === 0) return only;
  const orInit = inits.length > 0 ? ` or one of the init containers: [${inits.join(" ")}]` : "";
  throw badRequest(
    `a container name must be specified for pod ${name}, choose one of: [${mains.join(" ")}]${orInit}`,
  );
}

function findRun(needs: LogNeeds, pod: Pod, container: string): ContainerRun {
  const run = needs.runOf(pod).containers.find((one) => one.container.name === container);
  if (!run) throw badRequest(`container ${container} is not valid for pod ${pod.metadata.name ?? ""}`);
  return run;
}

function waitingReason(pod: Pod, container: string): string {
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  return statuses.find(({ name }) => name === container)?.state.waiting?.reason ?? "ContainerCreating";
}

function badRequest(message: string): ApiError {
  return new ApiError(400, "BadRequest", message);
}
