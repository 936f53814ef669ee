import { type CommandEntry, type Flags, globalFlags } from "./command.ts";
import type { Registry } from "./program.ts";

/** Flags may stand before the command, as pflag lets them. */
export function findCommand(
  argv: readonly string[],
  registry: Registry,
): { entry: CommandEntry; rest: string[] } | undefined {
  const words = wordsOf(argv, registry);
  for (let count = mostWords; count > 0; count -= 1) {
    const taken = words.slice(0, count);
    const name = taken.map(({ word }) => word).join(" ");
    const entry = registry.commands.find((one) => one.name === name || one.aliases?.includes(name));
    if (!entry || taken.length < count) continue;
    const used = new Set(taken.map(({ index }) => index));
    return { entry, rest: argv.filter((_, index) => !used.has(index)) };
  }
  return undefined;
}

/** `proj source-integrity git policies list` */
const mostWords = 5;

/** As many arguments as a command has words, that are neither a flag nor the value of one that is global or its group's. */
export function wordsOf(argv: readonly string[], { groups }: Registry): { word: string; index: number }[] {
  const words: { word: string; index: number }[] = [];
  let flags: Flags = globalFlags;
  for (let index = 0; index < argv.length && words.length < mostWords; index += 1) {
    const arg = argv[index] ?? "";
    if (arg === "--") break;
    if (arg.startsWith("-")) {
      if (takesValue(arg, flags)) index += 1;
      continue;
    }
    words.push({ word: arg, index });
    flags = groups.find(({ name }) => name === words[0]?.word)?.flags ?? flags;
  }
  return words;
}

function takesValue(arg: string, flags: Flags): boolean {
  return Object.entries(flags).some(
    ([name, { kind, short }]) => kind !== "boolean" && (arg === `--${name}` || arg === `-${short}`),
  );
}
