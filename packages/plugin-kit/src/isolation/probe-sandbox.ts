import type { Clock } from "@capstan/flow";
import { messageOf } from "@capstan/model";
import { runCommand } from "../run-command.ts";
import { type Sandbox, sandboxArguments } from "./sandbox.ts";

export interface SandboxTools {
  readonly bwrap: string;
  readonly setpriv?: string | undefined;
  readonly isRoot: boolean;
}

export interface ProbeMeans {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export type ProbedSandbox = { sandbox: Sandbox } | { why: string };

const probeMs = 10_000;
/** Of whom every machine knows a name, which ssh asks for. */
const innerUser = 1;

/**
 * Which way bubblewrap works here, tried by running it: as root with another user, else with a user namespace of its
 * own, inside another sandbox too. Nothing but a reason where none does.
 */
export function probeSandbox(tools: SandboxTools, means: ProbeMeans): Promise<ProbedSandbox> {
  return firstThatWorks(waysOf(tools), means);
}

/**
 * The same for a program that opens sandboxes itself, whose files stay those of this process's user: under a number of
 * its own in a user namespace, else, as root, without one.
 */
export function probeOuterSandbox(
  { bwrap, isRoot }: SandboxTools,
  means: ProbeMeans,
): Promise<ProbedSandbox> {
  const user = isRoot ? { user: innerUser } : {};
  const ways = [{ bwrap, hasOwnUser: true, ...user }, ...(isRoot ? [{ bwrap, hasOwnUser: false }] : [])];
  return firstThatWorks(inBothWays(ways), means);
}

async function firstThatWorks(
  ways: readonly Sandbox[],
  { clock, signal }: ProbeMeans,
): Promise<ProbedSandbox> {
  let why = "";
  for (const sandbox of ways) {
    const [program = "", ...args] = sandboxArguments(
      { cwd: "/", readable: [], writable: [], network: false },
      sandbox,
    );
    const command = { program, args: [...args, "true"], cwd: "/", env: { PATH: "/usr/bin:/bin" } };
    try {
      await runCommand(command, { clock, signal, timeoutMs: probeMs });
      return { sandbox };
    } catch (error) {
      signal.throwIfAborted();
      why ||= `bubblewrap does not work here: ${messageOf(error)}`;
    }
  }
  return { why };
}

/** Best first. */
function waysOf({ bwrap, setpriv, isRoot }: SandboxTools): Sandbox[] {
  const asRoot = isRoot && setpriv !== undefined ? [{ bwrap, setpriv, hasOwnUser: false }] : [];
  const ways = [...asRoot, { bwrap, hasOwnUser: true }];
  return inBothWays(ways);
}

function inBothWays(ways: readonly Omit<Sandbox, "proc">[]): Sandbox[] {
  return (["own", "outer"] as const).flatMap((proc) => ways.map((way) => ({ ...way, proc })));
}
