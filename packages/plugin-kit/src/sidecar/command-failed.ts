import { constants } from "node:os";

/** A plugin's command failed; the message is that of Argo CD's sidecar (cmpserver/plugin/plugin.go CmdError). */
export class CommandFailed extends Error {
  override readonly name = "CommandFailed";
  readonly argv: readonly string[];
  /** 128 where a signal ended it. */
  readonly exitCode: number;
  readonly stderr: string;

  constructor({
    argv,
    cause,
    exitCode,
    stderr,
  }: { argv: readonly string[]; cause: string; exitCode: number; stderr: string }) {
    super(`\`${showArgv(argv)}\` failed ${cause}${stderr === "" ? "" : `: ${stderr}`}`);
    this.argv = argv;
    this.exitCode = exitCode;
    this.stderr = stderr;
  }
}

/** A command as Argo CD writes it (util/exec GetCommandArgsToLog): words with spaces are quoted. */
export function showArgv(argv: readonly string[]): string {
  return argv.map((word) => (word === "" || /\s/.test(word) ? JSON.stringify(word) : word)).join(" ");
}

const signalNames: Readonly<Record<string, string>> = {
  SIGHUP: "hangup",
  SIGINT: "interrupt",
  SIGQUIT: "quit",
  SIGABRT: "aborted",
  SIGKILL: "killed",
  SIGBUS: "bus error",
  SIGFPE: "floating point exception",
  SIGSEGV: "segmentation fault",
  SIGPIPE: "broken pipe",
  SIGTERM: "terminated",
  SIGXCPU: "CPU time limit exceeded",
  SIGXFSZ: "file size limit exceeded",
};

/** How a program ended, in Go's words (os.ProcessState.String). */
export function endCause({
  exitCode,
  killedBy,
}: {
  exitCode: number | null;
  killedBy: string | null;
}): string {
  if (killedBy === null) return `exit status ${exitCode ?? 0}`;
  return `signal: ${signalNames[killedBy] ?? killedBy}`;
}

/** The signal that an exit status above 128 stands for. */
export function signalOfStatus(status: number | null): string | undefined {
  if (status === null || status <= 128) return undefined;
  return Object.entries(constants.signals).find(([, number]) => number === status - 128)?.[0];
}
