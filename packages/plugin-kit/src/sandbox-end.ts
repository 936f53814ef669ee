import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { hasEnded, isProcOurs, startOf } from "./process-status.ts";

/** Where bubblewrap says which process is the first of its sandbox: the standard ones come before it. */
const infoDescriptor = 3;
export const infoArguments = ["--info-fd", String(infoDescriptor)];
const pollMs = 2;
const maxInfoBytes = 4_096;

/**
 * The end of all that runs in a sandbox. bubblewrap ends as soon as it has its command's exit code (`monitor_child` in
 * its bubblewrap.c); what the command left running ends a moment later, with the sandbox's first process: the kernel
 * ends every process of that one's namespace first (pid_namespaces(7)), and until then they may still write.
 */
export class SandboxEnd {
  readonly #first: Promise<First | undefined>;

  /** `stdio` as a child process has it. */
  constructor(stdio: readonly unknown[]) {
    const info = stdio[infoDescriptor];
    this.#first = isReadable(info) ? firstOf(info) : Promise.resolve(undefined);
  }

  /** After the end of bubblewrap itself. Nothing is waited for where /proc does not show this process's own children. */
  async wait(): Promise<void> {
    const first = await this.#first;
    if (first === undefined || !isProcOurs()) return;
    while (startOf(first.pid) === first.start && !hasEnded(first.pid)) await sleep(pollMs);
  }
}

interface First {
  readonly pid: number;
  readonly start: string;
}

async function firstOf(info: Readable): Promise<First | undefined> {
  let text = "";
  let first: First | undefined;
  try {
    // To its end: who writes into a pipe that nobody reads is ended.
    for await (const chunk of info) {
      text = (text + chunk).slice(0, maxInfoBytes);
      const pid = Number(/"child-pid": (\d+)/.exec(text)?.[1]);
      if (pid > 0) first ??= { pid, start: startOf(pid) };
    }
  } catch {
    // It ended before it had said so: there is no sandbox.
  }
  return first;
}

function isReadable(stream: unknown): stream is Readable {
  return typeof stream === "object" && stream !== null && Symbol.asyncIterator in stream;
}
