import { ApiError } from "../../types.ts";
import type { Pod } from "../kinds.ts";
import { resourceTypes } from "../resource-types.ts";
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
