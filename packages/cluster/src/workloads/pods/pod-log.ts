import { ApiError } from "../../types.ts";
import type { Pod } from "../kinds.ts";
import { resourceTypes } from "../resource-types.ts";
import { chooseContainer } from "./choose-container.ts";
import type { ContainerRun } from "./container-run.ts";
import { followLog } from "./follow-log.ts";
import { type LogNeeds, linesOf, type PodLogInput, printLines } from "./log-lines.ts";

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
