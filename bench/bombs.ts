/**
 * `node bench/bombs.ts [--only NAME]`: what the API's callers notice while a bomb of compat/attacks is
 * rendered: latency of a request each 20 ms, how long the bomb took to end, and the repo server's peak memory.
 */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { programFlags } from "@capstan/testkit/program-flags";
import { passwords } from "../compat/attacks/accounts.ts";
import { attacks as bombs } from "../compat/attacks/classes/bombs.ts";
import { attacks as costs } from "../compat/attacks/classes/costs.ts";
import { attacks as expressions } from "../compat/attacks/classes/expressions.ts";
import { modes } from "../compat/attacks/modes.ts";
import { startAttackWorld } from "../compat/attacks/world.ts";
import type { AskerData } from "./asker-thread.ts";

const { values } = programFlags({ options: { only: { type: "string" } } });
const everyMs = 20;
const chosen = [...bombs, ...costs, ...expressions].filter(
  ({ id }) => !values.only || id.includes(values.only),
);
const [mode] = modes;
if (!mode) throw new Error("there is no mode");
const quietMs = 2_000;

await using world = await startAttackWorld(mode);
const asked = `${world.capstan.url}/api/v1/applications?fields=items.metadata.name`;
const token = await logIn();
for (const attack of chosen) {
  // The machine has others to serve: what the bomb costs shows beside the moment before it.
  print("(nothing)", { ...(await during(() => sleep(quietMs))), ended: "" });
  const { outcome, ...figures } = await during(() => attack.play(world));
  const ended = outcome instanceof Error ? `FAILED: ${outcome.message.slice(0, 200)}` : "";
  print(attack.id, { ...figures, ended });
}

interface Figures {
  tookMs: number;
  latenciesMs: number[];
  memoryMegabytes: number;
}

/** Asks all the while. */
async function during<T>(work: () => Promise<T>): Promise<Figures & { outcome: T | Error }> {
  const latenciesMs: number[] = [];
  const workerData: AskerData = { url: asked, token, everyMs };
  const asker = new Worker(new URL("./asker-thread.ts", import.meta.url), { workerData });
  let failed: Error | undefined;
  asker.on("error", (error: Error) => {
    failed = error;
  });
  asker.on("message", (milliseconds: number) => latenciesMs.push(milliseconds));
  await once(asker, "online");
  const started = performance.now();
  const outcome = await work().catch((error: unknown) =>
    error instanceof Error ? error : new Error(String(error)),
  );
  const tookMs = performance.now() - started;
  await asker.terminate();
  if (failed) throw failed;
  return { outcome, tookMs, latenciesMs, memoryMegabytes: await residentMegabytes(world.capstan.status.pid) };
}

async function logIn(): Promise<string> {
  const { alice: password } = passwords;
  const { body } = await world.ask("nobody", "POST /api/v1/session", {
    body: { username: "alice", password },
  });
  if (typeof body === "object" && body !== null && "token" in body) return String(body.token);
  throw new Error("alice cannot log in");
}

/** Of `up` itself: what a bomb leaves in it. */
async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

function print(
  name: string,
  { tookMs, latenciesMs, memoryMegabytes, ended }: Figures & { ended: string },
): void {
  const sorted = latenciesMs.toSorted((one, other) => one - other);
  const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(0);
  const figures = [
    `${(tookMs / 1000).toFixed(1)} s`.padStart(9),
    `p50 ${at(0.5)} p99 ${at(0.99)} max ${at(1)} ms`.padEnd(30),
    `up ${memoryMegabytes.toFixed(0)} MB`,
  ];
  console.log(`${name.padEnd(34)} ${figures.join("  ")}  ${ended}`);
}
