import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import {
  type ProbedSandbox,
  type SandboxView,
  sandboxArguments,
  visibleProgram,
  visiblePrograms,
} from "@capstan/plugin-kit";
import { ownFiles } from "../own-files.ts";

interface Confined {
  /** plugin.ts or plugin.js. */
  readonly program: string;
  /** Where its socket appears. */
  readonly socketDir: string;
  /** A file of its own within what is hidden. */
  readonly kubeconfig: string;
  /** The data folder. */
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * What stands before a plugin's program so that it sees programs, Capstan's kit, its own folder and the folder of its
 * socket. It has the network: unlike a command it may keep connections, and there is no place to ask for it.
 */
export async function confineProgram(probed: ProbedSandbox, confined: Confined): Promise<readonly string[]> {
  if ("why" in probed) return [];
  const { program, socketDir, kubeconfig, dataDir, env } = confined;
  await mkdir(socketDir, { recursive: true, mode: 0o700 });
  const folder = dirname(program);
  const view: SandboxView = {
    cwd: folder,
    readable: [
      ...ownFiles,
      ...visibleProgram(process.execPath),
      ...visiblePrograms(env.PATH ?? "/usr/bin:/bin"),
      folder,
      kubeconfig,
    ],
    writable: [socketDir],
    hidden: [dataDir],
    network: true,
  };
  return sandboxArguments(view, probed.sandbox);
}
