import type { EventFacts, EventRecorder } from "../event-recorder.ts";
import type { Pod } from "../kinds.ts";
import { nodeName, nothingRuns } from "../simulation.ts";
import type { ContainerRun } from "./container-run.ts";

export interface ContainerHappening {
  what: "started" | "backing-off" | "image-failed" | "stopping";
  run: ContainerRun;
}

/** The kubelet's events about one container: its reasons, with messages that own up to the simulation. */
export function recordPodEvent(
  { events }: { events: EventRecorder },
  pod: Pod,
  { what, run }: ContainerHappening,
): void {
  for (const [type, reason, message] of tell(pod, what, run)) {
    const field = run.role === "main" ? "containers" : "initContainers";
    const fieldPath = `spec.${field}{${run.container.name}}`;
    events.record(pod, { type, reason, message, component: "kubelet", host: nodeName, fieldPath });
  }
}

type Told = [type: EventFacts["type"], reason: string, message: string];

function tell(pod: Pod, what: ContainerHappening["what"], { container }: ContainerRun): Told[] {
  const image = container.image ?? "";
  const { name, namespace, uid } = pod.metadata;
  switch (what) {
    case "started":
      return [
        ["Normal", "Pulled", `Container image "${image}" taken as present (${nothingRuns})`],
        ["Normal", "Created", "Container created"],
        ["Normal", "Started", `Container started (${nothingRuns})`],
      ];
    case "backing-off":
      return [
        [
          "Warning",
          "BackOff",
          `Back-off restarting failed container ${container.name} in pod ${name}_${namespace}(${uid})`,
        ],
      ];
    case "image-failed":
      return [
        [
          "Warning",
          "Failed",
          `Failed to pull image "${image}": ${nothingRuns}, and an annotation asks for this failure`,
        ],
        ["Warning", "Failed", "Error: ErrImagePull"],
        ["Normal", "BackOff", `Back-off pulling image "${image}"`],
      ];
    case "stopping":
      return [["Normal", "Killing", `Stopping container ${container.name}`]];
  }
}
