import { statSync } from "node:fs";
import { access, constants, stat } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import type { Clock } from "@capstan/flow";
import { CapstanError, isCapstanError, type PluginCommand } from "@capstan/model";
import {
  type CommandRules,
  confineCommand,
  confinementOf,
  isSandboxed,
  type Visible,
} from "../isolation/confine-command.ts";
import { endSurvivors } from "../isolation/end-survivors.ts";
import { findOnPath, type Isolation } from "../isolation/probe-isolation.ts";
import { visibleProgram } from "../isolation/visible-programs.ts";
import { WaitingSandbox } from "../isolation/waiting-sandbox.ts";
import { type CommandEnd, hidePaths, runToEnd } from "../run-command.ts";
import type { SourceRun } from "../served-plugin.ts";
import type { ProgramStarter } from "../start-program.ts";
import { pathsNamedBy } from "./command-environment.ts";
import { CommandFailed, endCause, showArgv, signalOfStatus } from "./command-failed.ts";

export interface CommandSettings {
  clock: Clock;
  /** The server's own environment, of which commands get a part before the request's. */
  env: Readonly<Record<string, string>>;
  /** The environment was made for the plugins, as in a sidecar's container: they get all but what is Capstan's. */
  wholeEnvironment?: boolean;
  /** Commands reach the network from their sandbox also where their plugin does not ask for it. */
  network?: boolean;
  /** Variables made for plugins, which all that reach the network get: a kubeconfig with rights of their own. */
  given?: Readonly<Record<string, string>>;
  /** What every sandbox shows: programs that come along. */
  readable?: readonly string[];
  /** What no sandbox shows, even within what it does: the server's own data. */
  hidden?: readonly string[];
  maxOutputBytes: number;
  maxStderrBytes: number;
  /** ARGOCD_EXEC_TIMEOUT; absent: only the caller's deadline ends a command. */
  execTimeoutMs?: number;
  /** What this machine has to keep commands apart. */
  isolation: Isolation;
  /** Gives its programs pipes. */
  starter: ProgramStarter;
}

/** Of one command. */
export interface CommandOptions extends CommandSettings {
  rules: CommandRules;
  stdin?: string | undefined;
  /** Where a trace of its files goes, if one is wanted. */
  trace?: string | undefined;
  /** That it prints nothing is no news: a discovery that does not match, an init. */
  mayBeSilent?: boolean;
}

/** Time for a command to obey SIGTERM before the caller is answered without it. */
const answerGraceMs = 40;
/** No timer of Node's is longer. */
const foreverMs = 2 ** 31 - 1;

/** Runs one command of a plugin in the application's directory; gives what it printed, one newline trimmed. */
export async function runPluginCommand(
  { command = [], args = [] }: PluginCommand,
  run: SourceRun,
  settings: CommandOptions,
): Promise<string> {
  const argv = [...command, ...args];
  const [program, ...rest] = argv;
  if (program === undefined) throw new Error("Command is empty");
  const cwd = run.path === "" ? run.root : `${run.root}/${run.path}`;
  await checkDirectory(cwd, run);
  const env: Readonly<Record<string, string>> = { ...settings.env, ...run.env };
  await checkProgram(program, cwd, env.PATH ?? "");
  const input = settings.stdin === undefined ? {} : { stdin: settings.stdin };
  const owner = run.owner === undefined ? {} : { owner: run.owner };
  const plain = { program, args: rest, cwd, env, ...input, ...owner };
  const started = settings.clock.now();
  run.signal.throwIfAborted();
  const confinement = confinementOf(plain, visibleOf(run, settings), settings);
  const ending = runToEnd(confineCommand(plain, confinement), {
    clock: settings.clock,
    starter: run.sandbox?.take(plain, confinement) ?? settings.starter,
    signal: run.signal,
    timeoutMs: settings.execTimeoutMs ?? foreverMs,
    maxStdoutBytes: settings.maxOutputBytes,
    maxStderrBytes: settings.maxStderrBytes,
    onStderr: (chunk) => run.onStderr(chunk.toString()),
  });
  run.keepUntil(ending);
  const end = await endedOrLeft(ending, { run, settings, argv });
  if (!isSandboxed(settings.isolation, settings.rules) && settings.rules.isolation !== "none")
    stopSurvivors(run, settings);
  const stderr = hide(end.stderr, run);
  const facts = { command: showArgv(argv), ms: settings.clock.now() - started, stderr };
  if (end.stopReason !== undefined || end.exitCode !== 0) {
    const cause = causeOf(end, isSandboxed(settings.isolation, settings.rules));
    run.log.error({ ...facts, cause }, "Plugin command failed");
    if (isCapstanError(end.stopReason)) throw end.stopReason;
    throw new CommandFailed({
      argv: argv.map((word) => hide(word, run)),
      cause,
      exitCode: end.exitCode ?? 128,
      stderr: `${stderr.trim()}${networkHint(stderr, settings)}`,
    });
  }
  if (end.stdout.length === 0 && !settings.mayBeSilent)
    run.log.warn(facts, "Plugin command returned zero output");
  else run.log.info(facts, "Plugin command successful");
  return end.stdout.toString().replace(/\n$/, "");
}

/** A sandbox for this command in a run that is yet to come. */
export async function waitForCommand(
  { command = [], args = [] }: PluginCommand,
  place: Pick<SourceRun, "root" | "scratch" | "base" | "owner">,
  settings: CommandOptions,
): Promise<WaitingSandbox | undefined> {
  const [program, ...rest] = [...command, ...args];
  if (program === undefined || !isSandboxed(settings.isolation, settings.rules)) return undefined;
  const plain = { program, args: rest, cwd: place.root, env: settings.env };
  return WaitingSandbox.start(plain, visibleOf({ ...place, refs: {} }, settings), settings);
}

/** What left the group of its command must not write in the directory of a later run. */
function stopSurvivors(run: SourceRun, settings: CommandOptions): void {
  const { clock } = settings;
  const { directories } = visibleOf(run, settings);
  const count = endSurvivors(directories);
  if (count === 0) return;
  run.log.warn({ count }, "a command left processes running; they were ended");
  run.keepUntil(clock.sleep(answerGraceMs, new AbortController().signal));
}

/** Bubblewrap tells a signal as a shell does. */
function causeOf(end: CommandEnd, isInSandbox: boolean): string {
  if (isCapstanError(end.stopReason)) return end.stopReason.message;
  const signal = isInSandbox ? signalOfStatus(end.exitCode) : undefined;
  return endCause(signal === undefined ? end : { exitCode: null, killedBy: signal });
}

async function endedOrLeft(
  ending: Promise<CommandEnd>,
  { run, settings, argv }: { run: SourceRun; settings: CommandOptions; argv: readonly string[] },
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
    throw isCapstanError(error, "TOOL_MISSING") ? startFailure(error.cause, argv[0] ?? "") : error;
  } finally {
    run.signal.removeEventListener("abort", leave);
    over.abort(new Error("the command has ended"));
  }
}

/** As os/exec says it; `locked` is a file of that name which may not be run. */
function startFailure(cause: unknown, program: string, locked?: string): Error {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  const hint = locked === undefined ? "" : `: ${locked} is not executable; run chmod +x ${locked}`;
  if (code === "ENOENT" && !program.includes("/"))
    return new Error(`exec: "${program}": executable file not found in $PATH${hint}`, { cause });
  const problems: Record<string, string> = {
    ENOENT: "no such file or directory",
    EACCES: "permission denied",
    E2BIG: "argument list too long",
  };
  return new Error(`fork/exec ${program}: ${problems[String(code)] ?? code}${hint}`, { cause });
}

function enoent(): Error {
  return Object.assign(new Error("ENOENT"), { code: "ENOENT" });
}

/** The first of the paths at which a file is: it is one that may not be run. */
function lockedOf(paths: readonly string[]): string | undefined {
  return paths.find((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
}

/** What a wrapper around it would say in its own words. */
async function checkProgram(program: string, cwd: string, searchPath: string): Promise<void> {
  if (!program.includes("/")) {
    if (findOnPath(program, searchPath) !== undefined) return;
    throw startFailure(
      enoent(),
      program,
      lockedOf(searchPath.split(delimiter).map((one) => join(one, program))),
    );
  }
  const path = resolve(cwd, program);
  await access(path, constants.X_OK).catch((error: unknown) => {
    throw startFailure(error, program, lockedOf([path]) && program);
  });
}

function visibleOf(
  { base, root, refs, scratch, owner }: Pick<SourceRun, "base" | "root" | "refs" | "scratch" | "owner">,
  { env, rules, readable = [], hidden = [] }: CommandOptions,
): Visible {
  const directories = [root, ...Object.values(refs), scratch];
  return {
    directories,
    scratch,
    readable: [...readable, ...pathsNamedBy(env).flatMap(visibleProgram), ...(rules.readable ?? [])],
    writable: rules.writable ?? [],
    hidden,
    ...(base === undefined ? {} : { base }),
    ...(owner === undefined ? {} : { owner }),
  };
}

async function checkDirectory(path: string, run: SourceRun): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() !== true)
    throw new CapstanError({ code: "PATH_MISSING", path: run.path === "" ? "." : run.path });
}

const unreachable =
  /could not resolve|no such host|network is unreachable|name resolution|EAI_AGAIN|ENOTFOUND|ECONNREFUSED|connection refused|getaddrinfo|failed to connect|name or service not known/i;

/** What to set, where a command failed for want of the network. */
function networkHint(stderr: string, { isolation, rules }: CommandOptions): string {
  if (rules.network || !isSandboxed(isolation, rules) || !unreachable.test(stderr)) return "";
  return "\n(commands of this plugin run without the network; `spec.network: true` in its plugin.yaml permits it)";
}

function hide(text: string, run: SourceRun): string {
  return hidePaths(text, [run.root, ...Object.values(run.refs), run.scratch]);
}
