import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, open, readFile, writeFile } from "node:fs/promises";
import { ExitError, type Io } from "@capstan/cli/record";
import { boundedLogVariable } from "./bound-log.ts";
import { logFileOf, readRunning, runningText } from "./running.ts";

const lookMs = 50;
/** Of a log, in a message. */
const maxShown = 4_000;

/**
 * Starts the same command in the background, whose log is a file of the data folder, and returns when it answers;
 * with `waits` when the first application is Healthy, which never is where nobody makes one. Rejects with what it said where it ends before that.
 */
export async function startDetached(
  { dataDir, waits }: { dataDir: string; waits: boolean },
  io: Pick<Io, "out" | "clock" | "signal">,
): Promise<void> {
  const running = await readRunning(dataDir);
  if (running)
    throw new ExitError(
      `process ${running.pid} runs in ${dataDir} already: capstan status shows it, capstan down stops it`,
      2,
    );
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = logFileOf(dataDir);
  await writeFile(path, "", { mode: 0o600 });
  // What is begun anew when it is large goes on at its beginning.
  await using log = await open(path, "a", 0o600);
  const [program = "", ...args] = process.argv.slice(1);
  const words = args.filter((word) => !/^(-d|--(detach|wait)(=.*)?)$/.test(word));
  // What npm starts ends with npm otherwise.
  const { npm_lifecycle_event: _, ...own } = process.env;
  const env = { ...own, [boundedLogVariable]: path };
  const stdio = ["ignore", log.fd, log.fd] as const;
  const child = spawn(process.execPath, [program, ...words], { detached: true, env, stdio: [...stdio] });
  child.unref();
  await untilReady(child, { dataDir, waits, io, path });
  io.out(runningText(await readRunning(dataDir), dataDir));
}

async function untilReady(
  child: ChildProcess,
  {
    dataDir,
    waits,
    io,
    path,
  }: { dataDir: string; waits: boolean; io: Pick<Io, "clock" | "signal">; path: string },
): Promise<void> {
  const ended = once(child, "exit");
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  while (!isOver) {
    const running = await readRunning(dataDir);
    const isReady = running?.pid === child.pid && running?.isReady;
    if (isReady && (!waits || running.firstHealthyMs !== undefined)) return;
    await io.clock.sleep(lookMs, io.signal);
  }
  const said = await readFile(path, "utf8");
  throw new ExitError(
    said.slice(-maxShown).trim() || `it ended at once (${child.exitCode})`,
    child.exitCode || 1,
  );
}
