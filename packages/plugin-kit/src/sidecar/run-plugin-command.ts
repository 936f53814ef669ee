import { stat } from "node:fs/promises";
import { CapstanError, type Clock, isCapstanError, type PluginCommand } from "@capstan/model";
import { type Command, type CommandEnd, hidePaths, runToEnd } from "../run-command.ts";
import type { SourceRun } from "../server/served-plugin.ts";
import { CommandFailed, endCause, showArgv } from "./command-failed.ts";

export interface CommandSettings {
  clock: Clock;
  /** The server's own environment, which commands get before the request's. */
  env: Readonly<Record<string, string>>;
  maxOutputBytes: number;
  maxStderrBytes: number;
  /** ARGOCD_EXEC_TIMEOUT; absent: only the caller's deadline ends a command. */
  execTimeoutMs?: number;
  /** Puts a command into what keeps it from other runs. */
  confine(command: Command, run: SourceRun): Command;
}

/** Time for a command to obey SIGTERM before the caller is answered without it. */
const answerGraceMs = 40;
/** No timer of Node's is longer. */
const foreverMs = 2 ** 31 - 1;

/** Runs one command of a plugin in the application's directory; gives what it printed, one newline trimmed. */
export async function runPluginCommand(
  { command = [], args = [] }: PluginCommand,
  run: SourceRun,
  settings: CommandSettings & { stdin?: string | undefined },
): Promise<string> {
  const argv = [...command, ...args];
  const [program, ...rest] = argv;
  if (program === undefined) throw new Error("Command is empty");
  const cwd = run.path === "" ? run.root : `${run.root}/${run.path}`;
  await checkDirectory(cwd, run);
  const input = settings.stdin === undefined ? {} : { stdin: settings.stdin };
  const plain = { program, args: rest, cwd, env: { ...settings.env, ...run.env }, ...input };
  const started = settings.clock.now();
  const ending = runToEnd(settings.confine(plain, run), {
    clock: settings.clock,
    signal: run.signal,
    timeoutMs: settings.execTimeoutMs ?? foreverMs,
    maxStdoutBytes: settings.maxOutputBytes,
    maxStderrBytes: settings.maxStderrBytes,
    onStderr: (chunk) => run.onStderr(chunk.toString()),
  });
  run.keepUntil(ending);
  const end = await endedOrLeft(ending, { run, settings, argv });
  const stderr = hide(end.stderr, run);
  const facts = { command: showArgv(argv), ms: settings.clock.now() - started, stderr };
  if (end.stopReason !== undefined || end.exitCode !== 0) {
    const cause = causeOf(end);
    run.log.error({ ...facts, cause }, "Plugin command failed");
    if (isCapstanError(end.stopReason)) throw end.stopReason;
    throw new CommandFailed({
      argv: argv.map((word) => hide(word, run)),
      cause,
      exitCode: end.exitCode ?? 128,
      stderr: stderr.trim(),
    });
  }
  if (end.stdout.length === 0) run.log.warn(facts, "Plugin command returned zero output");
  else run.log.info(facts, "Plugin command successful");
  return end.stdout.toString().replace(/\n$/, "");
}

function causeOf(end: CommandEnd): string {
  return isCapstanError(end.stopReason) ? end.stopReason.message : endCause(end);
}

async function endedOrLeft(
  ending: Promise<CommandEnd>,
  { run, settings, argv }: { run: SourceRun; settings: CommandSettings; argv: readonly string[] },
): Promise<CommandEnd> {
  const over = new AbortController();
  const left = Promise.withResolvers<never>();
  const leave = () =>
    settings.clock.sleep(answerGraceMs, over.signal).then(
      () =>
        left.reject(
          new CommandFailed({
            argv,
            cause: "signal: killed",
            exitCode: 128,
            stderr: "the caller's deadline passed",
          }),
        ),
      () => undefined,
    );
  if (run.signal.aborted) leave();
  else run.signal.addEventListener("abort", leave, { once: true });
  try {
    return await Promise.race([ending, left.promise]);
  } catch (error) {
    throw isCapstanError(error, "TOOL_MISSING") ? startFailure(error, argv[0] ?? "") : error;
  } finally {
    run.signal.removeEventListener("abort", leave);
    over.abort(new Error("the command has ended"));
  }
}

/** As os/exec says it. */
function startFailure(error: CapstanError, program: string): Error {
  const { cause } = error;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (code === "ENOENT" && !program.includes("/"))
    return new Error(`exec: "${program}": executable file not found in $PATH`, { cause: error });
  const problems: Record<string, string> = {
    ENOENT: "no such file or directory",
    EACCES: "permission denied",
    E2BIG: "argument list too long",
  };
  return new Error(`fork/exec ${program}: ${problems[String(code)] ?? code}`, { cause: error });
}

async function checkDirectory(path: string, run: SourceRun): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() !== true)
    throw new CapstanError({ code: "PATH_MISSING", path: run.path === "" ? "." : run.path });
}

function hide(text: string, run: SourceRun): string {
  return hidePaths(text, [run.root, ...Object.values(run.refs), run.scratch]);
}
