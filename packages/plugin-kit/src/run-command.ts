import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { CapstanError, type Clock } from "@capstan/model";
import type { OutputPipes } from "./output-pipes.ts";

export interface Command {
  /** Path or name of the program; named in errors by `tool` if given. */
  program: string;
  args: readonly string[];
  cwd: string;
  /** The whole environment: nothing is inherited. */
  env: Readonly<Record<string, string>>;
  tool?: string;
  /** Arguments to show instead of the real ones. */
  shownArgs?: readonly string[];
  stdin?: string;
  /** Directories that errors show as ".", so that no temporary path reaches a person. */
  hide?: readonly string[];
  /** What to do when the program is not installed. */
  installHint?: string;
  /** Where its output goes instead of Node's sockets. */
  pipes?: OutputPipes;
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
}

export interface CommandOutput {
  stdout: Buffer;
  stderr: string;
}

/** How a program ended, whichever way. */
export interface CommandEnd extends CommandOutput {
  exitCode: number | null;
  killedBy: NodeJS.Signals | null;
  /** Why it was stopped: the signal's reason, TIMED_OUT or OUTPUT_TOO_LARGE. */
  stopReason: unknown;
}

interface Running {
  readonly child: ChildProcess;
  readonly stdout: Readable;
  readonly stderr: Readable;
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
  throw toolFailed({ ...command, tool }, exitCode ?? 128, output.stderr || `killed by ${killedBy}`);
}

/** The same, but how the program ended is the caller's to judge; rejects only with TOOL_MISSING. */
export async function runToEnd(command: Command, given: CommandLimits): Promise<CommandEnd> {
  const limits = { ...defaults, ...given };
  limits.signal.throwIfAborted();
  const tool = command.tool ?? command.program;
  const ended = new AbortController();
  const signal = AbortSignal.any([limits.signal, ended.signal]);
  const running = await start(command, tool);
  const { child, stdout: printed, stderr: told } = running;
  let stopReason: unknown;
  const stop = (reason: unknown) => {
    stopReason ??= reason;
    killGroup(child, "SIGTERM");
    limits.clock.sleep(limits.graceMs, ended.signal).then(() => killGroup(child, "SIGKILL"), ignoreEnd);
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
    if (limits.onStderr) told.on("data", limits.onStderr);
    // What the program left running would hold the pipes open; what left the group too is not waited for long.
    child.once("exit", () => {
      killGroup(child, "SIGKILL");
      limits.clock
        .sleep(limits.graceMs, ended.signal)
        .then(() => [printed, told].map((one) => one.destroy()), ignoreEnd);
    });
    child.stdin?.on("error", ignoreEnd).end(command.stdin);
    const [exitCode, killedBy] = await closed(running);
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

async function start(command: Command, tool: string): Promise<Running> {
  const { program, args, cwd, env, pipes } = command;
  const ends = pipes?.writeEnds ?? (["pipe", "pipe"] as const);
  const stdio: StdioOptions = [command.stdin === undefined ? "ignore" : "pipe", ...ends];
  const child: ChildProcess = spawn(program, args, { cwd, env, detached: true, stdio });
  pipes?.closeWriteEnds();
  const { stdout, stderr } = pipes ?? child;
  if (child.pid !== undefined && stdout && stderr) return { child, stdout, stderr };
  const [error]: unknown[] = await once(child, "error");
  stdout?.destroy();
  stderr?.destroy();
  const hint = command.installHint === undefined ? {} : { hint: command.installHint };
  throw new CapstanError({ code: "TOOL_MISSING", tool, ...hint }, error);
}

async function closed({ child, stdout, stderr }: Running): Promise<[number | null, NodeJS.Signals | null]> {
  const streams = [stdout, stderr].map((stream) => new Promise((resolve) => stream.once("close", resolve)));
  const ending = new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once("close", (code, signal) => resolve([code, signal]));
    child.once("error", reject);
  });
  await Promise.all([ending, ...streams]);
  return ending;
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

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

function isGone(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ESRCH" || error.code === "EPERM");
}

function ignoreEnd(): void {
  // The command ended first, or closed its standard input unread: its exit code tells.
}
