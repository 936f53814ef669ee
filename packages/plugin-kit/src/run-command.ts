import type { Readable } from "node:stream";
import type { Clock } from "@capstan/flow";
import { CapstanError } from "@capstan/model";
import {
  ownChildren,
  type ProgramExit,
  type ProgramStart,
  type ProgramStarter,
  type StartedProgram,
} from "./start-program.ts";

/** Path or name of the program; named in errors by `tool` if given. */
export interface Command extends ProgramStart {
  tool?: string;
  /** Arguments to show instead of the real ones. */
  shownArgs?: readonly string[];
  /** Directories that errors show as ".", so that no temporary path reaches a person. */
  hide?: readonly string[];
  /** What to do when the program is not installed. */
  installHint?: string;
  /** Hears standard output as it comes. */
  onStdout?: (chunk: Buffer) => void;
}

export interface CommandLimits {
  clock: Clock;
  signal: AbortSignal;
  timeoutMs?: number;
  /** Between SIGTERM and SIGKILL. */
  graceMs?: number;
  maxStdoutBytes?: number;
  maxStderrBytes?: number;
  /** Hears standard error as it comes. */
  onStderr?: (chunk: Buffer) => void;
  /** Who starts it; absent: this process. */
  starter?: ProgramStarter;
}

export interface CommandOutput {
  stdout: Buffer;
  stderr: string;
}

/** How a program ended, whichever way. */
export interface CommandEnd extends CommandOutput, ProgramExit {
  /** Why it was stopped: the signal's reason, TIMED_OUT or OUTPUT_TOO_LARGE. */
  stopReason: unknown;
}

const defaults = {
  timeoutMs: 90_000,
  graceMs: 5_000,
  maxStdoutBytes: 256 * 2 ** 20,
  maxStderrBytes: 2 ** 20,
};

/**
 * Runs a program in a process group of its own, so that what it started ends with it. Rejects with TOOL_FAILED,
 * TOOL_MISSING, TIMED_OUT, OUTPUT_TOO_LARGE or the signal's reason.
 */
export async function runCommand(command: Command, limits: CommandLimits): Promise<CommandOutput> {
  const tool = command.tool ?? command.program;
  const { exitCode, killedBy, stopReason, ...output } = await runToEnd(command, limits);
  if (stopReason !== undefined) throw stopReason;
  if (exitCode === 0) return output;
  const silent = killedBy === null ? "it printed no error" : `killed by ${killedBy}`;
  throw toolFailed({ ...command, tool }, exitCode ?? 128, output.stderr || silent);
}

/** The same, but how the program ended is the caller's to judge; rejects only with TOOL_MISSING. */
export async function runToEnd(command: Command, given: CommandLimits): Promise<CommandEnd> {
  const limits = { ...defaults, ...given };
  limits.signal.throwIfAborted();
  const tool = command.tool ?? command.program;
  const ended = new AbortController();
  const signal = AbortSignal.any([limits.signal, ended.signal]);
  const running = await start(command, limits.starter ?? ownChildren);
  const { stdout: printed, stderr: told } = running;
  let stopReason: unknown;
  const stop = (reason: unknown) => {
    stopReason ??= reason;
    running.kill("SIGTERM");
    limits.clock.sleep(limits.graceMs, ended.signal).then(() => running.kill("SIGKILL"), ignoreEnd);
  };
  const onAbort = () => stop(limits.signal.reason);
  if (limits.signal.aborted) onAbort();
  else limits.signal.addEventListener("abort", onAbort, { once: true });
  limits.clock
    .sleep(limits.timeoutMs, signal)
    .then(
      () => stop(new CapstanError({ code: "TIMED_OUT", what: tool, afterMs: limits.timeoutMs })),
      ignoreEnd,
    );
  try {
    const stdout = collect(printed, limits.maxStdoutBytes, () =>
      stop(new CapstanError({ code: "OUTPUT_TOO_LARGE", what: tool, limitBytes: limits.maxStdoutBytes })),
    );
    const stderr = collect(told, limits.maxStderrBytes, () => undefined);
    if (command.onStdout) printed.on("data", command.onStdout);
    if (limits.onStderr) told.on("data", limits.onStderr);
    // What the program left running and has left its group holds the pipes open; it is not waited for long.
    const leave = () => limits.clock.sleep(limits.graceMs, ended.signal).then(destroyOutput, ignoreEnd);
    const destroyOutput = () => void [printed, told].map((one) => one.destroy());
    running.exited.then(leave, ignoreEnd);
    const { exitCode, killedBy } = await closed(running);
    return {
      exitCode,
      killedBy,
      stopReason,
      stdout: Buffer.concat(stdout),
      stderr: Buffer.concat(stderr).toString(),
    };
  } finally {
    limits.signal.removeEventListener("abort", onAbort);
    ended.abort();
  }
}

/** The command as shown to people: temporary directories are "." */
export function displayCommand({ program, args, shownArgs = args, tool, hide }: Command): string {
  const words = [tool ?? program, ...shownArgs].map((word) =>
    /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`,
  );
  return hidePaths(words.join(" "), hide ?? []);
}

export function hidePaths(text: string, directories: readonly string[]): string {
  const byLength = directories.toSorted((left, right) => right.length - left.length);
  return byLength.reduce((shown, directory) => shown.replaceAll(directory, "."), text);
}

function toolFailed(command: Command & { tool: string }, exitCode: number, stderr: string): CapstanError {
  return new CapstanError({
    code: "TOOL_FAILED",
    tool: command.tool,
    command: displayCommand(command),
    exitCode,
    stderr: hidePaths(stderr, command.hide ?? []).trim(),
  });
}

async function start(command: Command, starter: ProgramStarter): Promise<StartedProgram> {
  const { program, args, cwd, env, stdin, owner, isSandbox = false, tool = program, installHint } = command;
  const more = {
    isSandbox,
    ...(stdin === undefined ? {} : { stdin }),
    ...(owner === undefined ? {} : { owner }),
  };
  try {
    return await starter.start({ program, args, cwd, env, ...more });
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    const hint = installHint === undefined ? {} : { hint: installHint };
    throw new CapstanError({ code: "TOOL_MISSING", tool, ...hint }, error);
  }
}

async function closed({ exited, stdout, stderr }: StartedProgram): Promise<ProgramExit> {
  const streams = [stdout, stderr].map((stream) => new Promise((resolve) => stream.once("close", resolve)));
  const [exit] = await Promise.all([exited, ...streams]);
  return exit;
}

function collect(stream: Readable, limit: number, onFull: () => void): Buffer[] {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on("data", (chunk: Buffer) => {
    if (bytes < limit) chunks.push(chunk.length > limit - bytes ? chunk.subarray(0, limit - bytes) : chunk);
    if (bytes <= limit && bytes + chunk.length > limit) onFull();
    bytes += chunk.length;
  });
  return chunks;
}

function ignoreEnd(): void {
  // The command ended first: its exit code tells.
}
