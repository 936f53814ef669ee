import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { type Clock, messageOf } from "@capstan/model";
import { runCommand } from "../run-command.ts";

/** What this machine has to keep commands apart. */
export interface Isolation {
  /** Of bubblewrap, where it works. */
  readonly bwrap?: string;
  /** Why it does not. */
  readonly whyNoSandbox?: string;
  /** Of util-linux. */
  readonly prlimit?: string;
  readonly setpriv?: string;
  readonly isRoot: boolean;
}

const probeMs = 5_000;

export async function probeIsolation(
  searchPath: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<Isolation> {
  const [bwrap, prlimit, setpriv] = await Promise.all(
    ["bwrap", "prlimit", "setpriv"].map((name) => findOnPath(name, searchPath)),
  );
  const found = {
    ...(prlimit === undefined ? {} : { prlimit }),
    ...(setpriv === undefined ? {} : { setpriv }),
    isRoot: process.getuid?.() === 0,
  };
  if (bwrap === undefined) return { ...found, whyNoSandbox: "bubblewrap (bwrap) is not installed" };
  const args = ["--dev-bind", "/", "/", "--unshare-pid", "--proc", "/proc", "--die-with-parent", "true"];
  try {
    const command = { program: bwrap, args, cwd: "/", env: { PATH: searchPath } };
    await runCommand(command, { clock, signal, timeoutMs: probeMs });
    return { ...found, bwrap };
  } catch (error) {
    return { ...found, whyNoSandbox: `bubblewrap does not work here: ${messageOf(error)}` };
  }
}

export async function findOnPath(name: string, searchPath: string): Promise<string | undefined> {
  for (const directory of searchPath.split(delimiter)) {
    const path = join(directory, name);
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (directory !== "" && isThere) return path;
  }
  return undefined;
}
