import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import type { Clock } from "@capstan/flow";
import { messageOf } from "@capstan/model";
import { traceArguments } from "../observe/trace-arguments.ts";
import { runCommand } from "../run-command.ts";
import { mayChangeUsers } from "./may-change-users.ts";
import { probeSandbox } from "./probe-sandbox.ts";
import type { Sandbox } from "./sandbox.ts";

/** What this machine has to keep commands apart. */
export interface Isolation {
  /** bubblewrap, where it works. */
  readonly sandbox?: Sandbox;
  /** Why it does not. */
  readonly whyNoSandbox?: string;
  /** Of util-linux. */
  readonly prlimit?: string;
  readonly setpriv?: string;
  /** Where tracing works: tells what commands read. */
  readonly strace?: string;
  /** Why it does not. */
  readonly whyNoTrace?: string;
  readonly isRoot: boolean;
}

const probeMs = 5_000;

export async function probeIsolation(
  searchPath: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<Isolation> {
  const probes = [probeApart(searchPath, clock, signal), probeTrace(searchPath, clock, signal)] as const;
  const [apart, trace] = await Promise.all(probes);
  return { ...apart, ...trace };
}

/** All but whether tracing works, which is of use to plugins that observe. */
export async function probeApart(
  searchPath: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<Omit<Isolation, "strace" | "whyNoTrace">> {
  const [bwrap, prlimit, setpriv] = ["bwrap", "prlimit", "setpriv"].map((name) =>
    findOnPath(name, searchPath),
  );
  const found = {
    ...(prlimit === undefined ? {} : { prlimit }),
    ...(setpriv === undefined ? {} : { setpriv }),
    isRoot: mayChangeUsers(),
  };
  if (bwrap === undefined) return { ...found, whyNoSandbox: "bubblewrap (bwrap) is not installed" };
  const probed = await probeSandbox({ bwrap, setpriv, isRoot: found.isRoot }, { clock, signal });
  return "sandbox" in probed ? { ...found, sandbox: probed.sandbox } : { ...found, whyNoSandbox: probed.why };
}

export async function probeTrace(
  searchPath: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<Pick<Isolation, "strace" | "whyNoTrace">> {
  const strace = findOnPath("strace", searchPath);
  if (strace === undefined) return { whyNoTrace: "strace is not installed" };
  const args = [...traceArguments(strace, "/dev/null").slice(1), "true"].filter((arg) => arg !== "-ff");
  try {
    const command = { program: strace, args: ["-f", ...args], cwd: "/", env: { PATH: searchPath } };
    await runCommand(command, { clock, signal, timeoutMs: probeMs });
    return { strace };
  } catch (error) {
    return { whyNoTrace: `strace does not work here: ${messageOf(error)}` };
  }
}

/** At once: a dozen quick looks cost less than as many turns of a thread. */
export function findOnPath(name: string, searchPath: string): string | undefined {
  const directories = searchPath.split(delimiter).filter((directory) => directory !== "");
  return directories.map((directory) => join(directory, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // it is not there, or not to be run
  }
}
