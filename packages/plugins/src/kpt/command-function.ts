import { messageOf } from "@capstan/model";
import type { FunctionContext, KrmFunction, Mount, ResourceList } from "./function.ts";
import { printResourceList, readResourceList } from "./resource-list.ts";
import { CannotRun, PackageError } from "./trace-error.ts";

/** How a program ended that was given a text on standard input. */
export interface ProgramEnd {
  exitCode: number;
  stdout: string;
  stderr: string;
}

export type RunProgram = (
  argv: readonly string[],
  stdin: string,
  context: FunctionContext,
) => Promise<ProgramEnd>;

/** A function that is a program: it reads the list and prints it changed. */
export function commandFunction(argv: readonly string[], runProgram: RunProgram): KrmFunction {
  return async (list, context) => {
    const end = await runProgram(argv, printResourceList(list), context);
    const name = argv[0] ?? "";
    const hasOutput = end.exitCode === 0 || end.stdout.trim() !== "";
    if (hasOutput) {
      const output = readOutput(end.stdout, name);
      list.items = output.items;
      list.results = output.results;
    }
    const { exitCode, stderr } = end;
    return exitCode === 0 && stderr === "" ? undefined : { exitCode, stderr };
  };
}

function readOutput(stdout: string, name: string): ResourceList {
  try {
    return readResourceList(stdout, name);
  } catch (error) {
    throw new CannotRun(messageOf(error));
  }
}

/** The same in a container: what the runtime tells of the image's way here is not the function's. */
export function containerFunction(argv: readonly string[], runProgram: RunProgram): KrmFunction {
  return commandFunction(argv, async (...given) => {
    const end = await runProgram(...given);
    const lines = end.stderr.replace(/\n$/, "").split("\n");
    return { ...end, stderr: lines.filter((line) => !pulling.test(line)).join("\n") };
  });
}

/** What docker and podman print while they pull (kpt pkg/fn/runtime container.go, isdockerCLIoutput and its like). */
const pulling = new RegExp(
  [
    ": (?:Already exists|Pulling fs layer|Verifying Checksum|Download complete|Pulling from|Waiting|Pull complete)",
    "Digest: sha256|Status: (?:Downloaded newer image|Image is up to date for)|Unable to find image|Trying to pull",
    "Getting image source signatures|Copying (?:blob|config) sha256:|Writing manifest to image destination",
    "Storing signatures|^[A-Fa-f0-9]{64}$",
  ].join("|"),
);

const quoted = /"(?:[^"\\]|\\.)*"|'[^']*'|\\./gs;

function unquote(part: string): string {
  if (part.startsWith('"')) return part.slice(1, -1).replace(/\\(["\\$`])/g, "$1");
  return part.startsWith("'") ? part.slice(1, -1) : part.slice(1);
}

/** The words of a command line, with quotes as a shell has them and nothing else of a shell. */
export function splitWords(line: string): string[] {
  const words: string[] = [];
  const word = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/gs;
  for (const [found] of line.matchAll(word)) words.push(found.replace(quoted, unquote));
  if (line.replace(word, "").trim() !== "")
    throw new PackageError(
      `exec command ${JSON.stringify(line)} must be valid: EOF found when expecting closing quote`,
    );
  if (words.length === 0) throw new PackageError(`exec command "${line}" must be valid: it names no program`);
  return words;
}

const connected =
  'exec 3>&1; code=$({ { cat | "$0" "$@" 3>&- 4>&-; echo $? >&4; } | cat >&3; } 4>&1); exit "$code"';

/**
 * The same command with pipes for its input and output: Node gives sockets, and functions open /dev/stdin and
 * /dev/stdout by name (catalog gatekeeper, kpt's library for TypeScript), which a socket does not allow.
 */
export function throughPipes(argv: readonly string[]): string[] {
  return ["sh", "-c", connected, ...argv];
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

const asUsual: ContainerSettings = { pull: "missing", mounts: [], env: [], user: "nobody" };

/** The command that runs an image as kpt does: no network unless allowed, gone afterwards (ContainerFn getCmd). */
export function containerCommand(
  runtime: string,
  image: string,
  { allowNetwork, containers = asUsual }: { allowNetwork: boolean; containers?: ContainerSettings },
): string[] {
  const network = allowNetwork ? "host" : "none";
  const { pull, mounts, env, user } = containers;
  const safety = ["--user", user, "--security-opt=no-new-privileges", "--pull", pull];
  const more = [...mounts.flatMap((one) => ["--mount", mountOf(one)]), ...env.flatMap((one) => ["-e", one])];
  return [runtime, "run", "--rm", "-i", "--network", network, ...safety, ...more, image];
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
