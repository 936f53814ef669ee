import { traceIdOf, traceparent } from "@capstan/flow/at-start";
import { printable } from "@capstan/formats/at-start";
import { withoutUserinfos } from "@capstan/model/at-start";
import type { Log } from "@capstan/plugin-kit";

type Level = "debug" | "info" | "warn" | "error";

export interface LogOptions {
  format: "text" | "json";
  /** The lowest that is written. */
  level: "debug" | "info";
  now: () => number;
}

/** A line an entry on standard error: JSON with pino's and Argo CD's field names, or text; no passwords of addresses, nothing that a terminal obeys. */
export function createLog({ format, level: lowest, now }: LogOptions): Log {
  const print = format === "json" ? printJson : printText;
  const at = (level: Level) => (facts: object, message: string) => {
    const trace = traceIdOf(traceparent());
    const shown = trace === undefined ? plain(facts) : { trace, ...plain(facts) };
    const line = print({ level, time: new Date(now()).toISOString(), message, facts: shown });
    write(`${printable(withoutUserinfos(line))}\n`);
  };
  return {
    debug: lowest === "debug" ? at("debug") : () => undefined,
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
  };
}

/** The lines of one turn of the event loop go out together: each write to a pipe waits for the system. */
let waiting = "";

function write(line: string): void {
  if (waiting === "") setImmediate(flush);
  waiting += line;
  if (waiting.length > maxWaiting) flush();
}

function flush(): void {
  const lines = waiting;
  waiting = "";
  if (lines !== "") process.stderr.write(lines);
}

const maxWaiting = 2 ** 16;
process.on("exit", flush);

interface Entry {
  level: Level;
  time: string;
  message: string;
  facts: Readonly<Record<string, unknown>>;
}

function printJson({ level, time, message, facts }: Entry): string {
  const own = { level, time, msg: message };
  return JSON.stringify({ ...own, ...facts, ...own }, (_, value) =>
    typeof value === "bigint" ? String(value) : value,
  );
}

function printText({ level, time, message, facts }: Entry): string {
  const mark = level === "info" ? "" : `${level.toUpperCase()} `;
  const details = Object.entries(facts).map(([name, value]) => `${name}=${printValue(value)}`);
  return [time.slice(11, 23), `${mark}${message}`, ...details].join(" ");
}

function printValue(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value) ?? "undefined";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a text with any is quoted
  return /[\s"\x00-\x1f\x7f-\x9f]/.test(value) ? JSON.stringify(value) : value;
}

/** Errors have no enumerable fields of their own: their message says what they are. */
function plain(facts: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [name, value instanceof Error ? value.message : value]),
  );
}
