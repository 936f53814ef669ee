import { globalFlags } from "./command.ts";
import { type CommandEntry, commands } from "./commands.ts";

/** Flags may stand before the command, as pflag lets them. */
export function findCommand(argv: readonly string[]): { entry: CommandEntry; rest: string[] } | undefined {
  const words = wordsOf(argv);
  for (const count of [3, 2, 1]) {
    const taken = words.slice(0, count);
    const entry = commands.find(({ name }) => name === taken.map(({ word }) => word).join(" "));
    if (!entry || taken.length < count) continue;
    const used = new Set(taken.map(({ index }) => index));
    return { entry, rest: argv.filter((_, index) => !used.has(index)) };
  }
  return undefined;
}

/** Arguments that are neither a flag nor a global flag's value. */
export function wordsOf(argv: readonly string[]): { word: string; index: number }[] {
  const words: { word: string; index: number }[] = [];
  for (let index = 0; index < argv.length && words.length < 3; index += 1) {
    const arg = argv[index] ?? "";
    if (arg === "--") break;
    if (!arg.startsWith("-")) words.push({ word: arg, index });
    else if (words.length < 3 && takesValue(arg)) index += 1;
  }
  return words;
}

function takesValue(arg: string): boolean {
  if (arg.includes("=")) return false;
  return Object.entries(globalFlags).some(
    ([name, flag]) =>
      flag.kind !== "boolean" && (arg === `--${name}` || ("short" in flag && arg === `-${flag.short}`)),
  );
}
