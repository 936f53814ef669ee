import { readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Observed } from "../plugin.ts";
import { classifyTouches, type ObservedSource } from "./classify-touches.ts";
import { readTraces, type Trace } from "./read-trace.ts";

const maxTraceBytes = 64 * 2 ** 20;

/** What the commands of a run read, from the traces below their prefixes. */
export async function observeRun(
  prefixes: readonly string[],
  startDirectory: string,
  source: ObservedSource,
): Promise<Observed> {
  const traces: Trace[] = [];
  let bytes = 0;
  for (const prefix of prefixes) {
    const files = new Map<number, string>();
    for (const name of await readdir(dirname(prefix))) {
      const [, pid] = name.startsWith(`${basename(prefix)}.`) ? (/\.(\d+)$/.exec(name) ?? []) : [];
      if (pid === undefined) continue;
      const file = join(dirname(prefix), name);
      bytes += (await stat(file)).size;
      if (bytes > maxTraceBytes) return unseen("it touched more files than can be followed");
      files.set(Number(pid), await readFile(file, "utf8"));
    }
    if (files.size === 0) return unseen("the trace of its files is missing");
    traces.push(readTraces(files, startDirectory));
  }
  const whole = {
    touches: traces.flatMap(({ touches }) => touches),
    network: traces.flatMap(({ network }) => network),
  };
  return classifyTouches(whole, source);
}

function unseen(reason: string): Observed {
  return { read: [], listed: [], missed: [], unobservable: [reason] };
}
