import { CapstanError } from "@capstan/model";
import type { Stage, WithImage } from "@capstan/plugin-kit";
import { chosenEnv, confinedStage, onPath } from "@capstan/programs";
import { commandFunction, type RunProgram, splitWords, throughPipes } from "./command-function.ts";
import { containerFunction, readRuntime } from "./container-function.ts";
import type { KrmFunction } from "./function.ts";
import { readContainerMemory } from "./function-limits.ts";
import type { ResolveOptions } from "./resolve-function.ts";
import { allowedVariable, isImageAllowed, sandboxedImage } from "./sandboxed-image.ts";
import { PackageError } from "./trace-error.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Functions of a package in a repository that are programs or images, as far as the operator allows them. */
export function stagePrograms(
  stage: Stage,
  env: Env,
  withImage: WithImage | undefined,
): Pick<ResolveOptions, "exec" | "container"> {
  const allowed = (env.CAPSTAN_KPT_EXEC ?? "")
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
  const container = (image: string): KrmFunction | undefined => {
    if (!isImageAllowed(image, env[allowedVariable])) return undefined;
    if (env.KRM_FN_RUNTIME) return stageContainer(image, stage, env);
    return withImage && sandboxedImage(image, withImage, stageRun(stage, image));
  };
  if (allowed.length === 0) return { container };
  return { container, exec: (line) => allowedCommand(line, allowed, stage) };
}

function allowedCommand(line: string, allowed: readonly string[], stage: Stage): KrmFunction {
  const argv = splitWords(line);
  const [program = ""] = argv;
  if (!allowed.includes(program))
    throw new PackageError(
      `exec "${program}" is not one of the programs that the operator allows: ${allowed.join(", ")} (CAPSTAN_KPT_EXEC)`,
    );
  // The operator has named the program; what it is given is the repository's.
  const run = stageRun(confinedStage(stage, { plugin: "kpt", mayRunOpenly: true, network: false }), program);
  return commandFunction(argv, async (given, stdin, context) => {
    if (!program.includes("/") && (await onPath(program, stage.env)) === undefined)
      throw new CapstanError({ code: "TOOL_MISSING", tool: program, hint: `Put ${program} on PATH` });
    return run(throughPipes(given), stdin, context);
  });
}

/** Where the person who runs Capstan has images, logins and the daemon of a container runtime. */
const ofRuntimes = /^(?:HOME|DOCKER_|CONTAINERS?_|CONTAINERD_|NERDCTL_|XDG_|REGISTRY_AUTH_FILE$)/;

function stageContainer(image: string, stage: Stage, operator: Env): KrmFunction {
  const runtime = readRuntime(operator.KRM_FN_RUNTIME ?? "");
  const env = { ...stage.env, ...chosenEnv(operator, ofRuntimes) };
  const call = { runtime, image, allowNetwork: false, memory: readContainerMemory(operator), env };
  return containerFunction(call, stageRun(stage, image, env));
}

/** A stage keeps the output of good ends alone, and what a function found is wanted of every end. */
const reporting = `"$@"; printf '\\n# exit code %s' "$?"`;
const report = /\n# exit code (\d+)$/;

/** `tool`: what errors call it. */
function stageRun(stage: Stage, tool: string, env: Readonly<Record<string, string>> = {}): RunProgram {
  return async (argv, stdin) => {
    const { root } = await stage.workspace();
    const command = { program: "sh", args: ["-c", reporting, "sh", ...argv], tool, shownArgs: [] };
    const { stdout, stderr } = await stage.run({ ...command, stdin, cwd: root, env });
    const printed = stdout.toString();
    const [whole = "", code] = report.exec(printed) ?? [];
    const end = printed.length - whole.length;
    return { exitCode: Number(code ?? 128), stdout: printed.slice(0, end), stderr };
  };
}
