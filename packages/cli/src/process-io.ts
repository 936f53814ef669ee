import { homedir } from "node:os";
import { createInterface } from "node:readline/promises";
import { systemClock } from "@capstan/flow/at-start";
import type { Io } from "./io.ts";

/** Ctrl-C, a terminal that is closed, and a kill: what was begun elsewhere is to be ended in each case. */
const endings = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The real terminal; `ownSignals`: whoever uses it looks after signals by itself. */
export function processIo({ ownSignals }: { ownSignals: boolean }): Io & Disposable {
  const interrupt = new AbortController();
  const onSignal = () => {
    interrupt.abort(new Interrupted());
    // A second one ends a program that does not end by itself.
    process.once("SIGINT", () => process.exit(130));
  };
  if (!ownSignals) for (const name of endings) process.once(name, onSignal);
  // A reader such as `head` may leave early.
  process.stdout.on("error", (error) => {
    if ("code" in error && error.code === "EPIPE") process.exit(0);
    throw error;
  });
  return {
    out: (chunk) => void process.stdout.write(chunk),
    err: (chunk) => void process.stderr.write(chunk),
    outIsTerminal: process.stdout.isTTY === true,
    errIsTerminal: process.stderr.isTTY === true,
    columns: process.stdout.columns ?? 80,
    env: process.env,
    home: homedir(),
    clock: systemClock,
    signal: interrupt.signal,
    readInput,
    ask,
    [Symbol.dispose]: () => {
      for (const name of endings) process.removeListener(name, onSignal);
    },
  };
}

const maxInputBytes = 256 * 2 ** 20;

async function readInput(): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    const piece = Buffer.from(chunk);
    bytes += piece.length;
    if (bytes > maxInputBytes)
      throw new Error(`standard input is larger than ${maxInputBytes / 2 ** 20} MiB`);
    chunks.push(piece);
  }
  return Buffer.concat(chunks).toString();
}

export class Interrupted extends Error {
  override readonly name = "Interrupted";
  constructor() {
    super("interrupted");
  }
}

async function ask(question: string, { hidden }: { hidden: boolean }): Promise<string> {
  const lines = createInterface({
    input: process.stdin,
    output: process.stderr,
    terminal: process.stdin.isTTY,
  });
  try {
    if (!hidden) return await lines.question(question);
    process.stderr.write(question);
    const { write } = process.stderr;
    process.stderr.write = () => true;
    try {
      return await lines.question("");
    } finally {
      process.stderr.write = write;
      process.stderr.write("\n");
    }
  } finally {
    lines.close();
  }
}
