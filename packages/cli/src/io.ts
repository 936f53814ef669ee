import type { Clock } from "@capstan/flow";
/** The terminal and the process, as a value: tests give texts and take texts. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  /** Whether a person reads standard output; else no colours. */
  readonly outIsTerminal: boolean;
  /** Whether a person reads standard error; else no progress. */
  readonly errIsTerminal: boolean;
  readonly columns: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly clock: Clock;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** All of standard input, of which there may be 256 MiB. */
  readInput(): Promise<string>;
  /** Asks without showing what is typed when `hidden`. */
  ask(question: string, options: { hidden: boolean }): Promise<string>;
}
