import { dirname, join } from "node:path";
import { withoutEndSlashes } from "@capstan/formats";
import { CapstanError } from "@capstan/model";
import type { ContainerImage, WasmImage, WithImage } from "@capstan/plugin-kit";
import { runCommand } from "@capstan/plugin-kit";
import { onPath, sandboxCommand } from "@capstan/programs";
import { commandFunction, type RunProgram, throughPipes } from "./command-function.ts";
import type { FunctionContext, KrmFunction } from "./function.ts";
import { limitArgs, type MemoryLimit, readMemoryLimit, tellLimit } from "./function-limits.ts";
import { PackageError } from "./trace-error.ts";

/** The operator's list of images, or of what they begin with, that functions may be run from. */
export const allowedVariable = "CAPSTAN_KPT_IMAGES";
/** nobody */
const user = "65534";

/** Whether an entry of the list is the image without its tag, or a path above it; "*" is all. */
export function isImageAllowed(image: string, list: string | undefined): boolean {
  const name = image.replace(/@.*$/, "").replace(/:[^/]*$/, "");
  if (name.split("/").some((part) => part === "" || part === "." || part === "..")) return false;
  return (list ?? "")
    .split(",")
    .map((one) => withoutEndSlashes(one.trim()))
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
    const memory = readMemoryLimit(env);
    return withImage(image, { signal, clock, env }, async (found) => {
      const argv =
        "wasm" in found
          ? await wasmCommand(found, dirname(bwrap), context)
          : [bwrap, ...(await sandboxArgs(found, context, { bwrap, memory })), "--", ...found.command];
      const limited = throughPipes([...(await limitArgs(memory, env)), ...argv]);
      const work: RunProgram = async (_argv, stdin, inner) => {
        const end = await run(limited, stdin, inner);
        // As kpt has it of a container: without the end of the last line.
        return tellLimit({ ...end, stderr: end.stderr.replace(/\n$/, "") }, memory);
      };
      return commandFunction([image], work)(list, context);
    });
  };
}

async function sandboxArgs(
  { root, env, directory }: ContainerImage,
  { allowNetwork, clock }: FunctionContext,
  { bwrap, memory }: { bwrap: string; memory: MemoryLimit },
): Promise<string[]> {
  if (!directory.startsWith("/"))
    throw new PackageError(`the image's working directory "${directory}" does not begin with "/"`);
  const set = Object.entries({ PATH: "/usr/local/bin:/usr/bin:/bin", ...env });
  // What is written there is memory, too.
  const isSized = memory.bytes !== undefined && (await knowsSize(bwrap, clock));
  const written = (path: string) => [...(isSized ? ["--size", `${memory.bytes}`] : []), "--tmpfs", path];
  return [
    ...["--die-with-parent", "--new-session", "--unshare-all", ...(allowNetwork ? ["--share-net"] : [])],
    ...["--ro-bind", root, "/", "--proc", "/proc", "--dev", "/dev"],
    ...[...written("/dev/shm"), "--remount-ro", "/dev", ...written("/tmp")],
    ...["--uid", user, "--gid", user, "--cap-drop", "ALL", "--clearenv"],
    ...set.flatMap(([name, value]) => ["--setenv", name, value]),
    ...["--chdir", directory],
  ];
}

const helpMs = 30_000;
const sized = new Map<string, Promise<boolean>>();

/** bubblewrap 0.7 and newer; asked once. */
function knowsSize(bwrap: string, clock: FunctionContext["clock"]): Promise<boolean> {
  const limit = { clock, signal: new AbortController().signal, timeoutMs: helpMs };
  const asked =
    sized.get(bwrap) ??
    runCommand({ program: bwrap, args: ["--help"], cwd: "/", env: {} }, limit).then(
      ({ stdout }) => stdout.includes("--size"),
      () => false,
    );
  sized.set(bwrap, asked);
  return asked;
}

/** Our own Node in a sandbox, in which the function finds no more than what starts it. */
async function wasmCommand(
  { wasm }: WasmImage,
  searchPath: string,
  { clock }: Pick<FunctionContext, "clock">,
): Promise<string[]> {
  const program = process.execPath;
  const own = join(import.meta.dirname, "../package.json");
  const runner = join(import.meta.dirname, "go-wasm");
  const command = { program, args: [join(runner, "wasm-worker.ts"), wasm], cwd: "/" };
  const readable = [program, own, runner, wasm];
  const jailed = await sandboxCommand(command, { own: [], readable, searchPath, clock, network: false });
  if (!jailed)
    throw new PackageError("wasm functions run in a sandbox only, and bubblewrap does not work here");
  return [jailed.program, "--clearenv", ...jailed.args];
}
