import { parseArgs } from "node:util";
import { type Flag, type Flags, type FlagValues, UsageError } from "./command.ts";
import { nearest } from "./nearest.ts";
import { parseDuration } from "./parse-duration.ts";

export interface Parsed<F extends Flags> {
  readonly flags: FlagValues<F>;
  readonly args: readonly string[];
}

/** Flags as Go's pflag reads them: anywhere among the arguments, `--name=value`, `--name value`, `--switch=false`. */
export function parseFlags<F extends Flags>(argv: readonly string[], flags: F): Parsed<F> {
  const options = Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, optionOf(flag)]));
  const args = readableSwitches(argv, flags);
  const { values, positionals } = parse(args, options, flags);
  const found: Record<string, unknown> = {};
  for (const [name, flag] of Object.entries(flags)) {
    const value = values[name];
    if (value !== undefined) found[name] = readValue(name, flag, [value].flat());
  }
  return { flags: found as FlagValues<F>, args: positionals };
}

function optionOf({ kind, short }: Flag) {
  const type: "boolean" | "string" = kind === "boolean" ? "boolean" : "string";
  return { type, multiple: kind !== "boolean", ...(short ? { short } : {}) };
}

/** parseArgs knows `--no-switch` where Go writes `--switch=false`. */
function readableSwitches(argv: readonly string[], flags: Flags): string[] {
  const end = argv.indexOf("--");
  return argv.map((arg, index) => {
    if (end >= 0 && index >= end) return arg;
    const found = /^--([\w-]+)=(.*)$/.exec(arg);
    const name = found?.[1] ?? "";
    if (flags[name]?.kind !== "boolean") return arg;
    const value = found?.[2] ?? "";
    if (/^(1|t|true)$/i.test(value)) return `--${name}`;
    if (/^(0|f|false)$/i.test(value)) return `--no-${name}`;
    throw new UsageError(`--${name}: "${value}" is neither true nor false`);
  });
}

function parse(args: string[], options: Record<string, ReturnType<typeof optionOf>>, flags: Flags) {
  try {
    return parseArgs({ args, options, allowPositionals: true, allowNegative: true, strict: true });
  } catch (error) {
    if (!(error instanceof TypeError) || !("code" in error)) throw error;
    const unknown = /'(-{1,2}[\w-]+)'/.exec(error.message)?.[1];
    if (error.code !== "ERR_PARSE_ARGS_UNKNOWN_OPTION" || unknown === undefined)
      throw new UsageError(error.message.replace(/\. To specify.*$/s, ""));
    const near = nearest(unknown.replace(/^-+/, ""), Object.keys(flags));
    throw new UsageError(`unknown flag: ${unknown}${near ? `; did you mean --${near}?` : ""}`);
  }
}

function readValue(name: string, { kind, choices }: Flag, given: readonly (string | boolean)[]): unknown {
  const texts = given.filter((value) => typeof value === "string");
  const last = texts.at(-1) ?? "";
  switch (kind) {
    case "boolean":
      return given.at(-1) === true;
    case "strings":
      return texts;
    case "list":
      return texts.flatMap((text) => text.split(",")).filter((text) => text !== "");
    case "integer":
      if (!/^-?\d+$/.test(last)) throw new UsageError(`--${name}: "${last}" is not a whole number`);
      return Number(last);
    case "duration":
      return readDuration(name, last);
    case "string":
      if (choices && !choices.includes(last.split("=")[0] ?? ""))
        throw new UsageError(`--${name}: "${last}" is none of ${choices.join(", ")}`);
      return last;
  }
}

function readDuration(name: string, text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined)
    throw new UsageError(`--${name}: "${text}" is not a duration such as 30s, 5m or 1h30m`);
  return ms;
}
