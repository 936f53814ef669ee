import { messageOf } from "@capstan/model";
import type { FunctionContext, KrmFunction, ResourceList } from "./function.ts";
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
