import type { PodSession, Terminal, WantedStreams } from "../../streams/session.ts";
import { ApiError } from "../../types.ts";
import type { Container, Pod } from "../kinds.ts";
import { chooseContainer } from "../pods/choose-container.ts";
import { isRunning } from "../pods/container-run.ts";
import { followLog } from "../pods/follow-log.ts";
import type { LogNeeds } from "../pods/log-lines.ts";
import { resourceTypes } from "../resource-types.ts";
import type { CopiedFiles, Copies } from "./copied-files.ts";
import { environmentOf } from "./environment-of.ts";
import { filesOf } from "./files-of.ts";
import { answerPort } from "./forwarded-port.ts";
import { runProcess } from "./shell.ts";

export interface PodSessionRequest extends WantedStreams {
  readonly subresource: "exec" | "attach" | "portforward";
  readonly namespace: string;
  readonly name: string;
  readonly container?: string;
  readonly command: readonly string[];
}

/** What is simulated of exec, attach and port-forward. Throws where the Pod has nothing that would answer. */
export function openPodSession(needs: SessionNeeds, asked: PodSessionRequest): PodSession {
  const { namespace, name, subresource } = asked;
  const pod = needs.objects.get<Pod>(resourceTypes.pods, namespace, name);
  if (!pod) throw new ApiError(404, "NotFound", `pods "${name}" not found`, { name, kind: "pods" });
  if (!pod.spec.nodeName) throw badRequest(`pod ${name} does not have a host assigned`);
  if (subresource === "portforward") {
    if (pod.status?.phase !== "Running")
      throw badRequest(`pod ${name} is not running: its phase is ${pod.status?.phase ?? "Pending"}`);
    return { kind: "forward", serve: (connection) => answerPort(pod, connection) };
  }
  const chosen = chooseContainer(pod, asked.container);
  const run = needs.runOf(pod).containers.find(({ container }) => container.name === chosen);
  if (run === undefined || !isRunning(run))
    throw badRequest(`container not found ("${chosen}"): it does not run`);
  const { container } = run;
  const copies = needs.copied.of(`${pod.metadata.uid}/${chosen}/${run.startedMs}`);
  return {
    kind: "run",
    wants: asked,
    run: (terminal) =>
      subresource === "exec"
        ? execute(needs, { pod, container, asked, copies }, terminal)
        : attach(needs, { pod, container }, terminal),
  };
}

/** What the Pods' simulated insides are made of. */
export interface SessionNeeds extends LogNeeds {
  readonly copied: CopiedFiles;
}

interface Inside {
  pod: Pod;
  container: Container;
}

function execute(
  { objects, clock }: LogNeeds,
  { pod, container, asked, copies }: Inside & { asked: PodSessionRequest; copies: Copies },
  terminal: Terminal,
): Promise<number> {
  const around = {
    files: filesOf(objects, { pod, container, copies }),
    variables: environmentOf(objects, pod, container),
    folder: "/",
    now: () => clock.now(),
  };
  const { command: words, tty } = asked;
  return runProcess({ words, tty, container: container.name, around, clock }, terminal);
}

/** The container's log from now on, until it ends: what is typed goes nowhere. */
async function attach(needs: LogNeeds, { pod, container }: Inside, terminal: Terminal): Promise<number> {
  const { namespace = "", name = "" } = pod.metadata;
  const runOf = () => {
    const run = needs.runOf(pod).containers.find((one) => one.container.name === container.name);
    if (run === undefined) throw badRequest(`container not found ("${container.name}")`);
    return run;
  };
  const { signal } = terminal;
  const input = { namespace, name, follow: true, timestamps: false, previous: false, signal };
  for await (const text of followLog(needs, { input, pod, runOf })) terminal.out(text);
  return runOf().ended?.exitCode ?? 0;
}

function badRequest(message: string): ApiError {
  return new ApiError(400, "BadRequest", message);
}
