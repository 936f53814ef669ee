import { hash } from "node:crypto";
import { CapstanError, type ConfigManagementPlugin } from "@capstan/model";
import { traceArguments } from "../observe/trace-arguments.ts";
import type { Command } from "../run-command.ts";
import type { Isolation } from "./probe-isolation.ts";

/** `spec.isolation` and `spec.network`; absent: the best there is, and the network. */
export type IsolationRules = Pick<ConfigManagementPlugin["spec"], "isolation" | "network">;

/** What a run may see of the directories below the base. */
export interface Visible {
  readonly base?: string;
  readonly directories: readonly string[];
  readonly scratch: string;
  readonly owner?: number;
}

const maxFileBytes = 4 * 2 ** 30;
const maxProcesses = 512;
const firstUserId = 200_000;
const userIds = 50_000;

/** Whether commands run in bubblewrap. */
export function isSandboxed({ bwrap }: Isolation, { isolation, network }: IsolationRules): boolean {
  return bwrap !== undefined && isolation !== "none" && (isolation !== "copy" || network === false);
}

/** The user of a repository's own, where a plugin wants to be kept apart and the server is root. */
export function ownerOf(
  { isRoot, setpriv }: Isolation,
  { isolation }: IsolationRules,
  repository: string,
): number | undefined {
  if (isolation !== "sandbox" || !isRoot || setpriv === undefined) return undefined;
  return firstUserId + (Number.parseInt(hash("sha256", repository, "hex").slice(0, 8), 16) % userIds);
}

/** Refuses where what a plugin demands cannot be had. */
export function checkIsolation(isolation: Isolation, rules: IsolationRules, plugin: string): void {
  const why = isolation.whyNoSandbox ?? "";
  const refuse = (problem: string) =>
    new CapstanError({ code: "FAILED_PRECONDITION", what: `plugin ${plugin}`, problem });
  if (rules.network === false && isolation.bwrap === undefined)
    throw refuse(`spec.network is false, but commands cannot be kept off the network: ${why}`);
  const hasUsers = isolation.isRoot && isolation.setpriv !== undefined;
  if (rules.isolation === "sandbox" && isolation.bwrap === undefined && !hasUsers)
    throw refuse(
      `spec.isolation is sandbox, but there is none: ${why}; install it, run as root, or say copy`,
    );
}

/** Puts a command into limits, a user and a sandbox in which only its own directories are there. */
export function confineCommand(
  command: Command,
  visible: Visible,
  { isolation, rules, trace }: { isolation: Isolation; rules: IsolationRules; trace?: string | undefined },
): Command {
  const watched =
    trace === undefined || isolation.strace === undefined ? [] : traceArguments(isolation.strace, trace);
  const confined = rules.isolation !== "none";
  const argv = [
    ...(confined ? sandbox(command, visible, { isolation, rules }) : []),
    ...(confined ? user(visible, isolation) : []),
    ...(confined ? limits(visible, isolation) : []),
    ...watched,
    command.program,
    ...command.args,
  ];
  const [program = command.program, ...args] = argv;
  // The home of the server's user is not the other user's.
  const { scratch } = visible;
  const env = visible.owner === undefined ? command.env : { ...command.env, HOME: scratch, TMPDIR: scratch };
  return { ...command, program, args, env };
}

function limits({ owner }: Visible, { prlimit }: Isolation): string[] {
  if (prlimit === undefined) return [];
  const processes = owner === undefined ? [] : [`--nproc=${maxProcesses}`];
  return [prlimit, "--core=0", `--fsize=${maxFileBytes}`, ...processes, "--"];
}

function user({ owner }: Visible, { setpriv }: Isolation): string[] {
  if (owner === undefined || setpriv === undefined) return [];
  const ids = [`--reuid=${owner}`, `--regid=${owner}`, "--clear-groups"];
  return [setpriv, ...ids, "--no-new-privs", "--bounding-set=-all", "--"];
}

/** Own processes, own mounts: other runs' directories are covered, and what is started ends with the command. */
function sandbox(
  { cwd }: Command,
  { base, directories }: Visible,
  { isolation, rules }: { isolation: Isolation; rules: IsolationRules },
): string[] {
  if (isolation.bwrap === undefined || !isSandboxed(isolation, rules)) return [];
  const own = directories.flatMap((directory) => ["--bind", directory, directory]);
  // With it a command could take the cover off, or trace what is not its own.
  const dropped = isolation.isRoot ? ["CAP_SYS_ADMIN", "CAP_SYS_PTRACE", "CAP_MKNOD", "CAP_SYS_RAWIO"] : [];
  return [
    isolation.bwrap,
    "--die-with-parent",
    "--unshare-pid",
    "--unshare-ipc",
    ...(rules.network === false ? ["--unshare-net"] : []),
    ...["--dev-bind", "/", "/", "--proc", "/proc"],
    ...(base === undefined ? [] : ["--tmpfs", base]),
    ...own,
    ...dropped.flatMap((capability) => ["--cap-drop", capability]),
    ...["--chdir", cwd, "--"],
  ];
}
