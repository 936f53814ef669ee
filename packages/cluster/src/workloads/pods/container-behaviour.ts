import type { Container, Pod } from "../kinds.ts";
import { nothingRuns, type SimulationMode, simulateAnnotation, simulationMode } from "../simulation.ts";
import { containerScript, type Script } from "./container-script.ts";

export type ContainerRole = "init" | "sidecar" | "main";

/** How a simulated container behaves each time it starts. */
export interface Behaviour extends Script {
  becomesReady: boolean;
  imageFails: boolean;
}

export function containerRole(container: Container, isInit: boolean): ContainerRole {
  if (!isInit) return "main";
  return container.restartPolicy === "Always" ? "sidecar" : "init";
}

/**
 * A command that is simulated does what it says. Any other runs until it is stopped, or, where the Pod is meant
 * to end (init containers, restartPolicy Never and OnFailure), succeeds after `usualMs`.
 */
export function containerBehaviour(
  pod: Pod,
  container: Container,
  facts: { role: ContainerRole; usualMs: number },
): Behaviour {
  const mode = simulationMode(pod);
  const ready = { becomesReady: mode !== "never-ready", imageFails: mode === "image-pull-error" };
  if (facts.role === "main" && (mode === "fail" || mode === "crash-loop"))
    return { ...failure(mode), ...ready };
  const script = containerScript(
    [...(container.command ?? []), ...(container.args ?? [])],
    variablesOf(pod, container),
  );
  if (script) return { ...script, ...ready };
  return { ...placeholder(pod, container, facts), ...ready };
}

function failure(mode: SimulationMode): Script {
  const text = `capstan: fails as the annotation ${simulateAnnotation}: ${mode} asks (${nothingRuns})`;
  return { lines: [{ atMs: 0, text }], durationMs: 0, exitCode: 1 };
}

function placeholder(
  pod: Pod,
  container: Container,
  { role, usualMs }: { role: ContainerRole; usualMs: number },
): Script {
  const image = container.image ?? "";
  const lines = [
    { atMs: 0, text: `capstan: container "${container.name}" of image "${image}" is ${nothingRuns}` },
  ];
  const restartPolicy = pod.spec.restartPolicy ?? "Always";
  const runsOn = role === "sidecar" || (role === "main" && restartPolicy === "Always");
  if (runsOn) return { lines, durationMs: Number.POSITIVE_INFINITY, exitCode: 0 };
  const durationMs = role === "main" ? usualMs : 0;
  lines.push({ atMs: durationMs, text: "capstan: taken as successful" });
  return { lines, durationMs, exitCode: 0 };
}

/** What the container's command may refer to: its literal environment and its host name. */
function variablesOf(pod: Pod, container: Container): Map<string, string> {
  const variables = new Map([["HOSTNAME", pod.spec.hostname ?? pod.metadata.name ?? ""]]);
  for (const { name, value } of container.env ?? []) {
    if (value !== undefined) variables.set(name, value);
  }
  return variables;
}
