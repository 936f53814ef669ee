import { nearestName, parseDuration } from "@capstan/formats/at-start";
import { type Flag, type Flags, type FlagValues, UsageError } from "./command.ts";

export interface Parsed<F extends Flags> {
  readonly flags: FlagValues<F>;
  readonly args: readonly string[];
  /** What stood behind `--`, which is among the arguments too. */
  readonly behindDashes: readonly string[];
}

/**
 * Flags as Go's pflag reads them (flag.go parseArgs, parseLongArg, parseSingleShortArg): anywhere among the arguments,
 * `--name=value`, `--name value`, `-n value`, `-nvalue`, `-n=value`, switches as `--switch=false` and several short ones
 * behind one dash. What stands behind a flag is its value, whatever it begins with. `--no-switch` is ours.
 * `env` gives what a flag has its default from.
 */
export function parseFlags<F extends Flags>(
  argv: readonly string[],
  flags: F,
  env: Readonly<Record<string, string | undefined>> = {},
): Parsed<F> {
  const given = new Map<string, string[]>();
  const args: string[] = [];
  let index = 0;
  for (; index < argv.length && argv[index] !== "--"; index += 1) {
    const arg = argv[index] ?? "";
    if (arg === "-" || !arg.startsWith("-")) {
      args.push(arg);
      continue;
    }
    for (const { name, value } of arg.startsWith("--") ? longFlag(arg, flags) : shortFlags(arg, flags)) {
      const text = value ?? argv[++index];
      if (text === undefined) throw new UsageError(`--${name} needs a value`);
      given.set(name, [...(given.get(name) ?? []), text]);
    }
  }
  const behindDashes = argv.slice(index + 1);
  return { flags: readValues(flags, given, env), args: [...args, ...behindDashes], behindDashes };
}

interface Given {
  name: string;
  /** Undefined: it is the next word. */
  value: string | undefined;
}

function longFlag(arg: string, flags: Flags): Given[] {
  const [, name = "", value] = /^--([^=]*)(?:=(.*))?$/s.exec(arg) ?? [];
  if (Object.hasOwn(flags, name))
    return [{ name, value: value ?? (flags[name]?.kind === "boolean" ? "true" : undefined) }];
  const denied = name.replace(/^no-/, "");
  if (denied !== name && value === undefined && flags[denied]?.kind === "boolean")
    return [{ name: denied, value: "false" }];
  throw unknownFlag(`--${name}`, flags);
}

function shortFlags(arg: string, flags: Flags): Given[] {
  const found: Given[] = [];
  for (let at = 1; at < arg.length; at += 1) {
    const letter = arg[at] ?? "";
    const [name, flag] = Object.entries(flags).find(([, { short }]) => short === letter) ?? [];
    if (name === undefined) throw unknownFlag(`-${letter}`, flags);
    const rest = arg.slice(at + 1);
    if (flag?.kind !== "boolean" || rest.startsWith("="))
      return [...found, { name, value: rest === "" ? undefined : rest.replace(/^=/, "") }];
    found.push({ name, value: "true" });
  }
  return found;
}

function unknownFlag(typed: string, flags: Flags): UsageError {
  const near = nearestName(typed.replace(/^-+/, ""), Object.keys(flags));
  return new UsageError(`unknown flag: ${typed}${near ? `; did you mean --${near}?` : ""}`);
}

function readValues<F extends Flags>(
  flags: F,
  given: ReadonlyMap<string, readonly string[]>,
  env: Readonly<Record<string, string | undefined>>,
): FlagValues<F> {
  const found: Record<string, unknown> = {};
  for (const [name, flag] of Object.entries(flags)) {
    const texts = given.get(name);
    const byDefault = flag.env === undefined ? undefined : env[flag.env];
    if (texts) found[name] = readValue(`--${name}`, flag, texts);
    else if (byDefault !== undefined) found[name] = readValue(flag.env ?? "", flag, [byDefault]);
  }
  // Each value was read as its flag's kind says, of which the types are made.
  return found as FlagValues<F>;
}

function readValue(name: string, flag: Flag, texts: readonly string[]): unknown {
  const last = texts.at(-1) ?? "";
  switch (flag.kind) {
    case "boolean":
      return texts.map((text) => readSwitch(name, text)).at(-1);
    case "strings":
      return texts;
    case "list":
      return texts.flatMap(splitList).filter((text) => text !== "");
    case "integer":
      return readInteger(name, last, flag.range);
    case "duration":
      return readDuration(name, last);
    case "string":
      if (flag.choices && !flag.choices.includes(last))
        throw new UsageError(`${name}: "${last}" is none of ${flag.choices.join(", ")}`);
      return last;
  }
}

/** One line of CSV, as pflag reads it: a value with commas stands in double quotes, a quote in it twice. */
function splitList(text: string): string[] {
  if (!text.includes('"')) return text.split(",");
  return [...text.matchAll(/"((?:[^"]|"")*)"(?:,|$)|([^,]*)(?:,|$)/g)].map(
    ([, quoted, plain = ""]) => quoted?.replaceAll('""', '"') ?? plain,
  );
}

function readSwitch(name: string, text: string): boolean {
  if (/^(1|t|true)$/i.test(text)) return true;
  if (/^(0|f|false)$/i.test(text)) return false;
  throw new UsageError(`${name}: "${text}" is neither true nor false`);
}

function readInteger(name: string, text: string, range: Flag["range"]): number {
  const value = Number(text);
  const [least, most] = range ?? [-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  if (!/^-?\d+$/.test(text) || value < least || value > most)
    throw new UsageError(
      `${name}: "${text}" is not a whole number${range ? ` from ${least} to ${most}` : ""}`,
    );
  return value;
}

function readDuration(name: string, text: string): number {
  const ms = parseDuration(text, { days: true });
  if (ms === undefined) throw new UsageError(`${name}: "${text}" is not a duration such as 30s, 5m or 1h30m`);
  return ms;
}
