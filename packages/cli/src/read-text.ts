import { readFile } from "node:fs/promises";
import { readBody } from "./client/read-body.ts";
import { ExitError } from "./command.ts";
import type { Io } from "./io.ts";
import { withTimeout } from "./with-timeout.ts";

const timeoutMs = 60_000;
const maxBytes = 16 * 2 ** 20;

/** What -f names: a file, an address, or - for standard input. */
export async function readText(
  file: string,
  io: Pick<Io, "readInput" | "clock" | "signal">,
): Promise<string> {
  if (file === "-") return io.readInput();
  if (!/^https?:\/\//.test(file)) return readFile(file, "utf8");
  return withTimeout(io, { timeoutMs, describe: () => file }, async (signal) => {
    const response = await fetch(file, { signal });
    if (!response.ok) throw new ExitError(`${file} answered ${response.status}`, 20);
    return readBody(response, { from: file, maxBytes });
  });
}
