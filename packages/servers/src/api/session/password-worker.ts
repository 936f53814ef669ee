import { parentPort } from "node:worker_threads";
import { compare, hash } from "bcryptjs";

export type PasswordTask =
  | { readonly kind: "compare"; readonly password: string; readonly hash: string }
  | { readonly kind: "hash"; readonly password: string; readonly rounds: number };

/** A hash for `hash`, whether they agree for `compare`; a hash that cannot be read agrees with nothing. */
async function work(task: PasswordTask): Promise<string | boolean> {
  if (task.kind === "hash") return hash(task.password, task.rounds);
  return compare(task.password, task.hash).catch(() => false);
}

parentPort?.on("message", async (task: PasswordTask) => parentPort?.postMessage(await work(task)));
