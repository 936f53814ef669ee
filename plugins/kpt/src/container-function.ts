import { randomUUID } from "node:crypto";
import { CapstanError } from "@capstan/model";
import { runToEnd } from "@capstan/plugin-kit";
import { onPath } from "@capstan/programs";
import { commandFunction, type RunProgram } from "./command-function.ts";
import type { FunctionContext, KrmFunction, Mount } from "./function.ts";
import { type MemoryLimit, tellLimit } from "./function-limits.ts";
import { CannotRun, PackageError } from "./trace-error.ts";

/** In the order in which they are looked for where $KRM_FN_RUNTIME names none. */
export const containerRuntimes = ["docker", "podman", "nerdctl"] as const;

export type ContainerRuntime = (typeof containerRuntimes)[number];

/** As $KRM_FN_RUNTIME spells it (kpt pkg/fn/runtime container.go, StringToContainerRuntime). */
export function readRuntime(given: string): ContainerRuntime {
  const found = containerRuntimes.find((one) => one === given.toLowerCase());
  if (found !== undefined) return found;
  const known = containerRuntimes.join(" ");
  throw new CannotRun(`unsupported runtime: ${JSON.stringify(given)} the runtime must be one of [${known}]`);
}

/** How a person wants containers of functions run. */
export interface ContainerSettings {
  pull: "always" | "missing" | "never";
  /** "type=bind,source=DIR,target=DIR", read-only unless "rw=true" is said. */
  mounts: readonly string[];
  /** KEY=VALUE, or KEY for the value that it has here. */
  env: readonly string[];
  /** Whom the function runs as. */
  user: string;
}

export interface ContainerCall {
  runtime: ContainerRuntime;
  image: string;
  allowNetwork: boolean;
  /** Absent: as kpt runs them without being told. */
  containers?: ContainerSettings;
  memory: MemoryLimit;
  /** Of the runtime, for where it keeps images and finds its daemon; the function has none of it. */
  env: Readonly<Record<string, string>>;
}

const asUsual: ContainerSettings = { pull: "missing", mounts: [], env: [], user: "nobody" };

/**
 * A function in a container: what the runtime tells of the image's way here is not the function's, and a container
 * whose run is broken off ends too, which neither docker nor podman sees to once they are killed.
 */
export function containerFunction(call: ContainerCall, run: RunProgram): KrmFunction {
  return commandFunction([call.image], async (_argv, stdin, context) => {
    await checkInstalled(call);
    const name = `capstan-kpt-${randomUUID()}`;
    const end = await run(containerCommand(name, call), stdin, context).catch(async (error: unknown) => {
      await endContainer(name, call, context);
      throw error;
    });
    return tellLimit({ ...end, stderr: withoutRuntime(end.stderr, call.runtime) }, call.memory);
  });
}

async function checkInstalled({ runtime, env }: ContainerCall): Promise<void> {
  if ((await onPath(runtime, env)) !== undefined) return;
  const hint = "KRM_FN_RUNTIME names it: put it on PATH, or unset the variable";
  throw new CapstanError({ code: "TOOL_MISSING", tool: runtime, hint });
}

/** The command that runs an image as kpt does: no network unless allowed, gone afterwards (ContainerFn getCmd). */
export function containerCommand(name: string, call: Omit<ContainerCall, "env">): string[] {
  const { runtime, image, allowNetwork, memory, containers = asUsual } = call;
  const network = allowNetwork ? "host" : "none";
  const { pull, mounts, env, user } = containers;
  const safety = ["--user", user, "--security-opt=no-new-privileges", "--pull", pull];
  const more = [
    ...(memory.bytes === undefined ? [] : ["--memory", `${memory.bytes}`]),
    ...mounts.flatMap((one) => ["--mount", mountOf(one)]),
    ...env.flatMap((one) => ["-e", one]),
  ];
  return [
    runtime,
    "run",
    "--rm",
    "-i",
    "--name",
    name,
    "--network",
    network,
    ...safety,
    ...more,
    "--",
    image,
  ];
}

const endLimitMs = 10_000;

/** It may not have begun, or be gone already: how these end says nothing. */
async function endContainer(
  name: string,
  { runtime, env }: ContainerCall,
  { clock }: FunctionContext,
): Promise<void> {
  // The render's own signal is what broke it off.
  const limits = { clock, signal: new AbortController().signal, timeoutMs: endLimitMs };
  for (const args of [
    ["kill", name],
    ["rm", "--force", name],
  ])
    await runToEnd({ program: runtime, args, cwd: "/", env }, limits);
}

/** What runtimes print while they pull (isdockerCLIoutput, isPodmanCLIoutput and isNerdctlCLIoutput). */
const told: Readonly<Record<ContainerRuntime, RegExp>> = {
  docker:
    /: (?:Already exists|Pulling fs layer|Verifying Checksum|Download complete|Pulling from|Waiting|Pull complete)|Digest: sha256|Status: (?:Downloaded newer image|Image is up to date for)|Unable to find image/,
  podman:
    /Trying to pull|Getting image source signatures|Copying (?:blob|config) sha256:|Writing manifest to image destination|Storing signatures|^[A-Fa-f0-9]{64}$/,
  nerdctl: /(?:index-|Copying blob |manifest-|config-|layer-)sha256:|elapsed:|\+{38}|-{38}|^[A-Fa-f0-9]{64}$/,
};

function withoutRuntime(stderr: string, runtime: ContainerRuntime): string {
  const lines = stderr.replace(/\r?\n$/, "").split(/\r?\n/);
  return lines.filter((line) => !told[runtime].test(line)).join("\n");
}

/** As a runtime takes it (kyaml runtimeutil StorageMount). */
function mountOf(given: string): string {
  const { source, target, parts } = readMount(given);
  const mode = parts.get("rw") === "true" ? "" : ",readonly";
  return `type=${parts.get("type") ?? "bind"},source=${source},target=${target}${mode}`;
}

export function readMount(given: string): Mount & { parts: ReadonlyMap<string, string> } {
  const parts = new Map(
    given.split(",").map((part) => {
      const at = part.indexOf("=");
      return at < 0 ? ([part, ""] as const) : ([part.slice(0, at), part.slice(at + 1)] as const);
    }),
  );
  const [source, target] = [parts.get("source") ?? parts.get("src"), parts.get("target") ?? parts.get("dst")];
  if (source === undefined || target === undefined)
    throw new PackageError(`--mount "${given}" must be type=bind,src=DIR,dst=DIR`);
  return { source, target, parts };
}
