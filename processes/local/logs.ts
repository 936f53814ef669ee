import { open } from "node:fs/promises";
import { defineCommand, ExitError } from "@capstan/cli/record";
import { dataFlag, dataFolderOf, logFileOf } from "../up/running.ts";

const lookMs = 200;
const chunkBytes = 64 * 1024;

export default defineCommand({
  usage: "",
  help: "Print what a capstan up --detach has said.",
  examples: ["capstan logs --tail 50", "capstan logs -f"],
  argument: "none",
  arity: [0, 0],
  standsAlone: true,
  flags: {
    data: dataFlag,
    follow: { kind: "boolean", short: "f", help: "Go on as lines come, until Ctrl-C" },
    tail: { kind: "integer", value: "N", help: "Only the last lines", range: [0, Number.MAX_SAFE_INTEGER] },
  },
  async run({ flags, io }) {
    const path = logFileOf(dataFolderOf(flags.data));
    await using file = await open(path).catch(() => {
      const hint = "only a capstan up --detach writes one; others say it on their terminal";
      throw new ExitError(`there is no ${path}: ${hint}`, 20);
    });
    let at = flags.tail === undefined ? 0 : await startOfTail(file, flags.tail);
    const decoder = new TextDecoder();
    while (!io.signal.aborted) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(chunkBytes), 0, chunkBytes, at);
      at += bytesRead;
      if (bytesRead > 0) io.out(decoder.decode(buffer.subarray(0, bytesRead), { stream: true }));
      else if (!flags.follow) return 0;
      else {
        // A later start begins the file anew.
        if ((await file.stat()).size < at) at = 0;
        await io.clock.sleep(lookMs, io.signal).catch(() => undefined);
      }
    }
    return 0;
  },
});

type LogFile = Pick<Awaited<ReturnType<typeof open>>, "read" | "stat">;

/** Where the last `count` lines begin, looked for from the end. */
async function startOfTail(file: LogFile, count: number): Promise<number> {
  const { size } = await file.stat();
  if (count === 0) return size;
  let lines = 0;
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - chunkBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
    for (let index = bytesRead - 1; index >= 0; index -= 1) {
      // The end of the last line is no line's beginning.
      if (buffer[index] !== 0x0a || start + index === size - 1) continue;
      lines += 1;
      if (lines === count) return start + index + 1;
    }
    end = start;
  }
  return 0;
}
