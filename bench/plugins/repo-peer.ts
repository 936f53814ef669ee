import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { PluginService } from "@capstan/wire";

export interface Asked {
  url: string;
  revision: string;
  paths: readonly string[];
  /** None: whichever accepts the source. */
  plugin?: string;
  /** Annotation manifest-generate-paths of the applications. */
  generatePaths?: string;
}

/** Since it started. */
export interface Sent {
  /** Contents of files, or archives. */
  sentBytes: number;
  /** Files, or pieces of archives. */
  sentPieces: number;
  archives: number;
}

/** A repo server as a process of its own. */
export interface RepoPeer extends AsyncDisposable {
  readonly pid: number;
  /** Renders all paths at once; counters where it has some. */
  render(asked: Asked): Promise<Sent | undefined>;
}

/** Capstan's, without cluster and controllers. */
export async function startRepoProcess(of: {
  dir: string;
  pluginSockets: string;
  services?: readonly PluginService[];
}): Promise<RepoPeer> {
  const program = join(import.meta.dirname, "repo-process.ts");
  const args = [program, join(of.dir, "data"), of.pluginSockets, JSON.stringify(of.services ?? [])];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value ?? '{"failed": "it ended"}');
  const { failed } = await next();
  if (failed) throw new Error(`the repo server does not start: ${failed}`);
  return {
    pid: child.pid ?? -1,
    async render(asked) {
      child.stdin.write(`${JSON.stringify(asked)}\n`);
      const answer = await next();
      if (answer.failed) throw new Error(answer.failed);
      return answer;
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      child.stdin.end();
      await ended;
    },
  };
}
