import type { Clock } from "@capstan/flow";

import { main } from "./main.ts";
import type { Program } from "./program.ts";

/** What a command said, and its exit code. */
export interface Run {
  code: number;
  out: string;
  err: string;
}

interface Given {
  clock: Clock;
  home?: string;
  env?: Readonly<Record<string, string | undefined>>;
  /** All of standard input. */
  input?: string;
  /** What a person at a terminal says to each question; there is none without it. */
  answer?: string;
  signal?: AbortSignal;
  program?: Program;
  /** Told all that was said so far. */
  onOut?(all: string): void;
  onErr?(all: string): void;
}

/** The command line as a script runs it: no terminal, 80 columns, an end after a minute. */
export async function runMain(argv: readonly string[], given: Given): Promise<Run> {
  const texts = { out: "", err: "" };
  const limit = AbortSignal.timeout(60_000);
  const code = await main(argv, given.program ?? {}, {
    out: (text) => {
      texts.out += text;
      given.onOut?.(texts.out);
    },
    err: (text) => {
      texts.err += text;
      given.onErr?.(texts.err);
    },
    outIsTerminal: false,
    errIsTerminal: given.answer !== undefined,
    columns: 80,
    env: given.env ?? {},
    home: given.home ?? "/nonexistent",
    clock: given.clock,
    signal: given.signal ? AbortSignal.any([given.signal, limit]) : limit,
    readInput: async () => given.input ?? "",
    ask: async () => given.answer ?? "",
  });
  return { code, ...texts };
}
