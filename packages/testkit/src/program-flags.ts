import { readFileSync } from "node:fs";
import { type ParseArgsConfig, parseArgs } from "node:util";

let flagsLine = "";

/**
 * The flags of a program of this repository, as `parseArgs` reads them. `--help` says what stands at the head of the
 * program's file, and which flags there are; a wrong call ends with that on standard error.
 */
export function programFlags<const Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  const flags = Object.entries(config.options ?? {});
  const shown = flags.map(([name, { type }]) => `--${name}${type === "string" ? " …" : ""}`);
  flagsLine = `Flags: ${[...shown, "--help"].join(", ")}`;
  if (process.argv.slice(2).some((word) => word === "--help" || word === "-h")) {
    console.log(usage());
    process.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    wrongCall(error instanceof Error ? error.message : String(error));
  }
}

/** Ends the program. */
export function wrongCall(problem: string): never {
  console.error(`${problem}\n\n${usage()}`);
  process.exit(2);
}

/** Of a program that writes what is generated, or with --check only says whether it agrees. */
export function onlyChecks(): boolean {
  return programFlags({ options: { check: { type: "boolean", default: false } } }).values.check;
}

/** Of a flag that counts, from 1 on: a run whose count is no number would play nothing, and pass. */
export function wholeNumber(flag: string, text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  return wrongCall(`--${flag} ${text}: it is a whole number from 1`);
}

function usage(): string {
  const [file = ""] = process.argv.slice(1);
  const [, comment = ""] = /\/\*\*(.*?)\*\//s.exec(readFileSync(file, "utf8")) ?? [];
  return `${comment.replaceAll(/^ *\* ?/gm, "").trim()}\n\n${flagsLine}`;
}
