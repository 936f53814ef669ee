import { join } from "node:path";
import { runCommand } from "@capstan/plugin-kit";
import { toolPath } from "@capstan/programs";
import { realClock } from "@capstan/testkit";
import type { RunOptions } from "./run.ts";
import { folderOf, type SampleKind } from "./sample-applications.ts";

const limitMs = 60_000;

/** Seconds that the program takes for the folder of each application of a checkout; undefined where none is needed. */
export async function toolsAlone(
  dir: string,
  { count, kind, signal }: RunOptions,
): Promise<number | undefined> {
  const command = await commandOf(kind);
  if (!command) return undefined;
  const [program, ...args] = command;
  const folders = Array.from({ length: count }, (_, index) => join(dir, folderOf(index)));
  // As the repo server runs it.
  const env = { ...process.env, GOGC: "400" };
  const limits = { clock: realClock, signal, timeoutMs: limitMs };
  const started = performance.now();
  const workers = Array.from({ length: 2 }, async () => {
    for (let cwd = folders.pop(); cwd !== undefined; cwd = folders.pop())
      await runCommand({ program, args, cwd, env }, limits);
  });
  await Promise.all(workers);
  return (performance.now() - started) / 1000;
}

async function commandOf(kind: SampleKind): Promise<[string, ...string[]] | undefined> {
  if (kind === "plain") return undefined;
  const program = await toolPath(kind, process.env);
  if (kind === "helm") return [program, "template", "app", ".", "--namespace", "default", "--include-crds"];
  return [program, program.endsWith("kubectl") ? "kustomize" : "build", "."];
}
