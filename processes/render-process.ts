/**
 * `capstan render-process`: whatever a repository holds is parsed, unpacked and rendered here, in a process that knows
 * nothing else. Serves the process that started it, over the socket that it was given as file descriptor 3, and ends
 * with it. Composes and waits.
 */
import { mkdir } from "node:fs/promises";
import { Socket } from "node:net";
import { join } from "node:path";
import { defineCommand } from "@capstan/cli/record";
import { systemClock as clock, traceWith } from "@capstan/flow";
import { createRepoServer } from "@capstan/render";
import { functionImages } from "@capstan/render/images";
import {
  guardProcess,
  type ProcessLimits,
  type RepoSurroundings,
  serveRepoServer,
} from "@capstan/servers/repo";
import { shippedPlugins } from "./shipped-plugins.ts";
import { createTracer } from "./surroundings/tracer.ts";

const socketDescriptor = 3;
/** For what is under way to end: nobody is left who would end this process, whose sandbox hides that. */
const closingMs = 10_000;

export default defineCommand({
  usage: "LIMITS",
  help: "Render for the process that started this one.",
  argument: "none",
  arity: [1, 1],
  standsAlone: true,
  ownSignals: true,
  flags: {},
  run: ({ args: [limits = ""] }) => serve(limits),
});

interface Given extends ProcessLimits {
  /** What it has started ends with it, however it ends. */
  readonly endsWhole: boolean;
}

/** Its one word is Given as JSON. Runs until the other side goes away; the result is the exit code. */
async function serve(limits: string): Promise<number> {
  const given: Given = JSON.parse(limits);
  const { underWay } = guardProcess(given);
  // A terminal's Ctrl-C reaches the whole group: whoever started this one ends it, once it has no more questions.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => undefined);
  const socket = new Socket({ fd: socketDescriptor });
  socket.once("close", () => setTimeout(() => process.exit(1), closingMs).unref());
  await serveRepoServer(socket, (surroundings) => openRepoServer(surroundings, given), underWay);
  return 0;
}

async function openRepoServer(
  { setup, state, readSecret, log, metrics, tellStep }: RepoSurroundings,
  { endsWhole }: Given,
) {
  const { dataDir, isTraced, ...rest } = setup;
  // What nobody else has begun to follow is not followed; where traces go is not known here.
  if (isTraced) traceWith(createTracer({ ratio: 0, take: tellStep }));
  await mkdir(dataDir, { recursive: true });
  const { env } = process;
  const repo = await createRepoServer({
    ...rest,
    dataDir,
    clock,
    log,
    metrics,
    env,
    plugins: shippedPlugins(env, { readSecret, withImage: functionImages(join(dataDir, "images")) }),
    pipelines: () => state().pipelines,
    pluginServices: () => state().pluginServices,
    pluginAccess: () => state().pluginAccess,
    separateStarter: endsWhole ? "for renders" : "always",
  });
  void import("./surroundings/memory-at-rest.ts");
  return repo;
}
