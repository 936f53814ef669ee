import { spawn } from "node:child_process";
import { Socket } from "node:net";
import { join } from "node:path";
import type { RepoProcess } from "@capstan/servers/repo";

const program = join(import.meta.dirname, "..", "..", "bin", "capstan.js");

/** A repo server as a process of its own. It ends with its socket, which ends with this process. */
export function startRepoProcess(): RepoProcess {
  const child = spawn(process.execPath, [program, "repo-server"], {
    stdio: ["ignore", "ignore", "inherit", "pipe"],
    // A terminal's Ctrl-C is for this process, which has questions still.
    detached: true,
  });
  const stream = child.stdio[3];
  if (!(stream instanceof Socket)) throw new TypeError("a program was started without its socket");
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(`it cannot be started: ${error.message}`));
    child.once("exit", (code, signal) =>
      resolve(signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`),
    );
  });
  return { stream, ended, kill: () => child.kill("SIGKILL") };
}

/** Starts the first now, for whoever asks for one later. */
export function startedAhead(start: () => RepoProcess): () => RepoProcess {
  let first: RepoProcess | undefined = start();
  return () => {
    const taken = first ?? start();
    first = undefined;
    return taken;
  };
}
