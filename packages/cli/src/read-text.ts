import { readFile } from "node:fs/promises";
import { ExitError } from "./command.ts";
import type { Io } from "./io.ts";

/** What -f names: a file, an address, or - for standard input. */
export async function readText(file: string, io: Io): Promise<string> {
  if (file === "-") return io.readInput();
  if (!/^https?:\/\//.test(file)) return readFile(file, "utf8");
  const response = await fetch(file, { signal: io.signal });
  if (!response.ok) throw new ExitError(`${file} answered ${response.status}`, 20);
  return response.text();
}
