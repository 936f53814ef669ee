import { dirname, join } from "node:path";
import { CapstanError } from "@capstan/model";
import { onPath } from "../binaries/tool-path.ts";
import { sandboxCommand } from "../commands/confined-stage.ts";
import { containerFunction, type RunProgram, throughPipes } from "./command-function.ts";
import type { FunctionContext, KrmFunction } from "./function.ts";
import type { ContainerImage, WasmImage, WithImage } from "./function-image.ts";
import { PackageError } from "./trace-error.ts";

/** The operator's list of images, or of what they begin with, that functions may be run from. */
export const allowedVariable = "CAPSTAN_KPT_IMAGES";
/** nobody */
const user = "65534";
/** What kpt's container runtime gives every function (kyaml runtimeutil NewContainerEnv). */
const givenEnv = { LOG_TO_STDERR: "true", STRUCTURED_RESULTS: "true" };

/** Whether an entry of the list is the image without its tag, or a path above it; "*" is all. */
export function isImageAllowed(image: string, list: string | undefined): boolean {
  const name = image.replace(/@.*$/, "").replace(/:[^/]*$/, "");
  if (name.split("/").some((part) => part === "" || part === "." || part === "..")) return false;
  return (list ?? "")
    .split(",")
    .map((one) => one.trim().replace(/\/+$/, ""))
    .some((one) => one !== "" && (one === "*" || name === one || name.startsWith(`${one}/`)));
}

/** A function from its image: the image's own file system around it, nobody's user, no network unless allowed. */
export function sandboxedImage(image: string, withImage: WithImage, run: RunProgram): KrmFunction {
  return async (list, context) => {
    const { signal, clock, env } = context;
    const bwrap = await onPath("bwrap", env);
    if (bwrap === undefined)
      throw new CapstanError({
        code: "TOOL_MISSING",
        tool: "bwrap",
        hint: `Install bubblewrap: functions from images (${allowedVariable}) run in its sandbox`,
      });
    return withImage(image, { signal, clock, env }, async (found) => {
      const argv =
        "wasm" in found
          ? await wasmCommand(found, dirname(bwrap), context)
          : throughPipes([bwrap, ...sandboxArgs(found, context), "--", ...found.command]);
      return containerFunction([image], (_name, stdin, inner) => run(argv, stdin, inner))(list, context);
    });
  };
}

function sandboxArgs(
  { root, env, directory }: ContainerImage,
  { allowNetwork }: Pick<FunctionContext, "allowNetwork">,
): string[] {
  if (!directory.startsWith("/"))
    throw new PackageError(`the image's working directory "${directory}" does not begin with "/"`);
  const set = Object.entries({ PATH: "/usr/local/bin:/usr/bin:/bin", ...env, ...givenEnv });
  return [
    ...["--die-with-parent", "--new-session", "--unshare-all", ...(allowNetwork ? ["--share-net"] : [])],
    ...["--ro-bind", root, "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"],
    ...["--uid", user, "--gid", user, "--cap-drop", "ALL", "--clearenv"],
    ...set.flatMap(([name, value]) => ["--setenv", name, value]),
    ...["--chdir", directory],
  ];
}

/** Our own Node in a sandbox, in which the function finds no more than what starts it. */
async function wasmCommand(
  { wasm }: WasmImage,
  searchPath: string,
  { clock }: Pick<FunctionContext, "clock">,
): Promise<string[]> {
  const program = process.execPath;
  const own = join(import.meta.dirname, "../../package.json");
  const runner = join(import.meta.dirname, "../go-wasm");
  const command = { program, args: [join(runner, "wasm-worker.ts"), wasm], cwd: "/" };
  const readable = [program, own, runner, wasm];
  const jailed = await sandboxCommand(command, { own: [], readable, searchPath, clock });
  if (!jailed)
    throw new PackageError("wasm functions run in a sandbox only, and bubblewrap does not work here");
  return [jailed.program, "--unshare-net", "--new-session", "--clearenv", ...jailed.args];
}
