import { CapstanError } from "@capstan/model";
import type { Stage } from "@capstan/plugin-kit";
import { onPath } from "../binaries/tool-path.ts";
import {
  commandFunction,
  containerCommand,
  containerFunction,
  type RunProgram,
  splitWords,
  throughPipes,
} from "./command-function.ts";
import type { KrmFunction } from "./function.ts";
import type { WithImage } from "./function-image.ts";
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
    const run = stageRun(stage, image);
    const { KRM_FN_RUNTIME } = env;
    if (KRM_FN_RUNTIME)
      return containerFunction(containerCommand(KRM_FN_RUNTIME, image, { allowNetwork: false }), run);
    return withImage && sandboxedImage(image, withImage, run);
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
  const run = stageRun(stage, program);
  return commandFunction(argv, async (given, stdin, context) => {
    if (!program.includes("/") && (await onPath(program, stage.env)) === undefined)
      throw new CapstanError({ code: "TOOL_MISSING", tool: program, hint: `Put ${program} on PATH` });
    return run(throughPipes(given), stdin, context);
  });
}

/** A stage keeps the output of good ends alone, and what a function found is wanted of every end. */
const reporting = `"$@"; printf '\\n# exit code %s' "$?"`;
const report = /\n# exit code (\d+)$/;

/** `tool`: what errors call it. */
function stageRun(stage: Stage, tool: string): RunProgram {
  return async (argv, stdin) => {
    const { root } = await stage.workspace();
    const command = { program: "sh", args: ["-c", reporting, "sh", ...argv], tool, shownArgs: [] };
    const { stdout, stderr } = await stage.run({ ...command, stdin, cwd: root });
    const printed = stdout.toString();
    const [whole = "", code] = report.exec(printed) ?? [];
    const end = printed.length - whole.length;
    return { exitCode: Number(code ?? 128), stdout: printed.slice(0, end), stderr };
  };
}
