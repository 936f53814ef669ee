import { CapstanError, type ConfigManagementPlugin } from "@capstan/model";
import { traceArguments } from "../observe/trace-arguments.ts";
import { isWithin } from "../paths.ts";
import type { Command } from "../run-command.ts";
import { infoArguments } from "../sandbox-end.ts";
import { limitArguments } from "./limits.ts";
import type { Isolation } from "./probe-isolation.ts";
import { otherUser, sandboxArguments } from "./sandbox.ts";
import { userOf } from "./user-of.ts";
import { visibleProgram, visiblePrograms } from "./visible-programs.ts";

/** `spec.isolation` and `spec.network`; absent: the best there is. */
export type IsolationRules = Pick<ConfigManagementPlugin["spec"], "isolation" | "network">;

/** The same once it is decided, with `spec.readable` and `spec.writable`. */
export type CommandRules = Pick<ConfigManagementPlugin["spec"], "isolation" | "readable" | "writable"> & {
  readonly network: boolean;
  /** The plugin must not reach the network: what cannot be had is refused. */
  readonly mustStayOff: boolean;
};

/** What a run may see of the directories below the base. */
export interface Visible {
  readonly base?: string;
  readonly directories: readonly string[];
  readonly scratch: string;
  readonly owner?: number;
  /** Further files and folders that a sandbox shows. */
  readonly readable?: readonly string[];
  /** Further ones that may be written. */
  readonly writable?: readonly string[];
  /** Folders within what is shown that look empty. */
  readonly hidden?: readonly string[];
}

/** Whether commands run in bubblewrap. */
export function isSandboxed({ sandbox }: Isolation, { isolation, mustStayOff }: CommandRules): boolean {
  return sandbox !== undefined && isolation !== "none" && (isolation !== "copy" || mustStayOff);
}

/** The user of a repository's own, where a plugin may be kept apart and the server is root. */
export function ownerOf(
  { isRoot, setpriv }: Isolation,
  { isolation }: IsolationRules,
  repository: string,
): number | undefined {
  if (isolation === "none" || isolation === "copy" || !isRoot || setpriv === undefined) return undefined;
  return userOf(repository);
}

/** Refuses where what a plugin demands cannot be had. */
export function checkIsolation(isolation: Isolation, rules: IsolationRules, plugin: string): void {
  const why = isolation.whyNoSandbox ?? "";
  const refuse = (problem: string) =>
    new CapstanError({ code: "FAILED_PRECONDITION", what: `plugin ${plugin}`, problem });
  if (rules.network === false && isolation.sandbox === undefined)
    throw refuse(`spec.network is false, but commands cannot be kept off the network: ${why}`);
  const hasUsers = isolation.isRoot && isolation.setpriv !== undefined;
  if (rules.isolation === "sandbox" && isolation.sandbox === undefined && !hasUsers)
    throw refuse(
      `spec.isolation is sandbox, but there is none: ${why}; install it, run as root, or say copy`,
    );
}

export interface ConfineMeans {
  readonly isolation: Isolation;
  readonly rules: CommandRules;
  /** Where a trace of the command's files goes, if one is wanted. */
  readonly trace?: string | undefined;
}

/** What a confined command is made of. */
export interface Confinement {
  /** Stands before all else: the sandbox, or another user. */
  readonly apart: readonly string[];
  readonly limits: readonly string[];
  /** The command itself, traced if that is wanted. */
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What stands before all else is bubblewrap, which says what runs in it. */
  readonly isSandbox: boolean;
}

/** The command as it is started within them. */
export function confineCommand(
  command: Command,
  { apart, limits, words, env, isSandbox }: Confinement,
): Command {
  const [program = command.program, ...args] = [...apart, ...limits, ...words];
  return { ...command, program, args, env, isSandbox };
}

/** Limits, a user and a sandbox for a command, in which only its own directories are there. */
export function confinementOf(
  command: Command,
  visible: Visible,
  { isolation, rules, trace }: ConfineMeans,
): Confinement {
  const watched =
    trace === undefined || isolation.strace === undefined ? [] : traceArguments(isolation.strace, trace);
  const confined = rules.isolation !== "none";
  const isSandbox = isSandboxed(isolation, rules);
  // The home of the server's user is not there, or not the other user's.
  const { scratch, owner } = visible;
  const isElsewhere = owner !== undefined || isSandbox;
  return {
    apart: confined ? apartArguments(command, visible, { isolation, rules }) : [],
    limits: confined ? limitArguments({ ...isolation, owner }) : [],
    words: [...watched, command.program, ...command.args],
    env: isElsewhere ? { ...command.env, HOME: scratch, TMPDIR: scratch } : command.env,
    isSandbox,
  };
}

/** In a sandbox, else as another user where that can be. */
function apartArguments(
  command: Command,
  { base, directories, scratch, owner, readable = [], writable = [], hidden = [] }: Visible,
  { isolation, rules }: ConfineMeans,
): string[] {
  const { sandbox, setpriv } = isolation;
  if (sandbox === undefined || !isSandboxed(isolation, rules))
    return owner === undefined || setpriv === undefined ? [] : [...otherUser(setpriv, owner), "--"];
  const named = namedPaths([command.program, ...command.args]);
  const seen = [...visiblePrograms(command.env.PATH ?? ""), ...named, ...readable];
  const view = { cwd: command.cwd, readable: seen, writable: [...directories, ...writable], scratch };
  const more = { network: rules.network, ...(owner === undefined ? {} : { owner }) };
  const covered = base === undefined ? hidden : [base, ...hidden];
  const [bwrap = "", ...rest] = sandboxArguments({ ...view, ...more, hidden: covered }, sandbox);
  return [bwrap, ...infoArguments, ...rest];
}

const wholePath = /(?<![\w.~$})*?/-])\/[\w@%+=:,.-]+(?:\/[\w@%+=:,.-]+)+/g;

/** What stands there is a run's own, or somebody's by chance. */
const anybodys = ["/tmp", "/var/tmp", "/dev/shm", "/run/user"];

/** Programs, scripts and files that the words of a plugin's definition name by their whole paths, in a script too. */
function namedPaths(words: readonly string[]): string[] {
  const named = words.flatMap((word) => word.match(wholePath) ?? []);
  return named.filter((path) => !anybodys.some((folder) => isWithin(folder, path))).flatMap(visibleProgram);
}
