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
  const args = readableFlags(argv, flags);
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

/**
 * pflag's forms in those of parseArgs: `--switch=false` is `--no-switch`, and what stands behind a flag is its
 * value even when it begins with a dash.
 */
function readableFlags(argv: readonly string[], flags: Flags): string[] {
  const readable: string[] = [];
  for (let index = 0; index < argv.length; index += 1) {
    const arg = argv[index] ?? "";
    if (arg === "--") return [...readable, ...argv.slice(index)];
    const [, name = "", value] = /^--([\w-]+)(?:=(.*))?$/s.exec(arg) ?? [];
    const flag = flags[name];
    if (!flag) readable.push(arg);
    else if (flag.kind === "boolean") readable.push(value === undefined ? arg : readSwitch(name, value));
    else if (value !== undefined) readable.push(arg);
    else if (index + 1 < argv.length) readable.push(`${arg}=${argv[++index]}`);
    else throw new UsageError(`--${name} needs a value`);
  }
  return readable;
}

function readSwitch(name: string, value: string): string {
  if (/^(1|t|true)$/i.test(value)) return `--${name}`;
  if (/^(0|f|false)$/i.test(value)) return `--no-${name}`;
  throw new UsageError(`--${name}: "${value}" is neither true nor false`);
}

function parse(args: string[], options: Record<string, ReturnType<typeof optionOf>>, flags: Flags) {
  try {
    return parseArgs({ args, options, allowPositionals: true, allowNegative: true, strict: true });
  } catch (error) {
    throw new UsageError(flagProblem(error, Object.keys(flags)));
  }
}

/** What parseArgs says of wrong flags, in fewer words and with the name that was probably meant. */
export function flagProblem(error: unknown, known: Iterable<string>): string {
  if (!(error instanceof TypeError) || !("code" in error)) throw error;
  const unknown = /'(-{1,2}[\w-]+)'/.exec(error.message)?.[1];
  if (error.code !== "ERR_PARSE_ARGS_UNKNOWN_OPTION" || unknown === undefined)
    return error.message.split("\n")[0] ?? "";
  const near = nearest(unknown.replace(/^-+/, ""), known);
  return `unknown flag: ${unknown}${near ? `; did you mean --${near}?` : ""}`;
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
