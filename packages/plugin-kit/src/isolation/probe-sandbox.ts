import { type Clock, messageOf } from "@capstan/model";
import { runCommand } from "../run-command.ts";
import { type Sandbox, sandboxArguments } from "./sandbox.ts";

export interface SandboxTools {
  readonly bwrap: string;
  readonly setpriv?: string | undefined;
  readonly isRoot: boolean;
}

const probeMs = 10_000;

/**
 * Which way bubblewrap works here, tried by running it: as root with another user, else with a user namespace of its
 * own, inside another sandbox too. Nothing but a reason where none does.
 */
export async function probeSandbox(
  tools: SandboxTools,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<{ sandbox: Sandbox } | { why: string }> {
  let why = "";
  for (const sandbox of waysOf(tools)) {
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
  return (["own", "outer"] as const).flatMap((proc) => ways.map((way) => ({ ...way, proc })));
}
