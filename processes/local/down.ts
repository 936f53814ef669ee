import { defineCommand, ExitError } from "@capstan/cli/record";
import type { Clock } from "@capstan/flow";
import { dataFlag, dataFolderOf, readRunning } from "../up/running.ts";

const lookMs = 100;
const usualTimeoutMs = 60_000;

export default defineCommand({
  usage: "",
  help: "Stop the capstan up of a data folder. What it keeps stays: a later start finds everything as it was.",
  examples: ["capstan down", "capstan down --data /tmp/try"],
  argument: "none",
  arity: [0, 0],
  standsAlone: true,
  flags: {
    data: dataFlag,
    timeout: { kind: "duration", value: "DURATION", help: "How long to wait for its end", byDefault: "60s" },
    force: { kind: "boolean", help: "End it at once, without letting it finish what is under way" },
  },
  async run({ flags, io }) {
    const dataDir = dataFolderOf(flags.data);
    const running = await readRunning(dataDir);
    if (!running) {
      io.out(`nothing runs in ${dataDir}\n`);
      return 0;
    }
    process.kill(running.pid, flags.force ? "SIGKILL" : "SIGTERM");
    const timeoutMs = flags.timeout ?? usualTimeoutMs;
    const { clock, signal } = io;
    if (!(await hasEnded(dataDir, running.pid, { clock, signal, timeoutMs })))
      throw new ExitError(
        `process ${running.pid} has not ended within ${timeoutMs / 1000} s; capstan down --force ends it at once`,
        20,
      );
    io.out(`stopped process ${running.pid}; the data stays in ${dataDir}\n`);
    return 0;
  },
});

async function hasEnded(
  dataDir: string,
  pid: number,
  { clock, signal, timeoutMs }: { clock: Clock; signal: AbortSignal; timeoutMs: number },
): Promise<boolean> {
  for (const until = clock.now() + timeoutMs; clock.now() <= until; await clock.sleep(lookMs, signal))
    if ((await readRunning(dataDir))?.pid !== pid) return true;
  return false;
}
