import { type GlobalValues, globalFlags, UsageError } from "../command.ts";
import type { Io } from "../io.ts";
import { parseFlags } from "../parse-flags.ts";

/** Global flags of the variable ARGOCD_OPTS, as argocd reads them (util/config LoadFlags): none stands for others than these. */
export function readArgocdOpts({ env, err }: Pick<Io, "env" | "err">): GlobalValues {
  const given = env.ARGOCD_OPTS ?? "";
  if (given.trim() === "") return {};
  const pairs = new Map<string, string>();
  let open: string | undefined;
  for (const word of splitWords(given)) {
    if (word.startsWith("--")) {
      if (open !== undefined) pairs.set(open, "true");
      open = word.slice(2);
      const [, name, value] = /^([^=]+)=(.*)$/s.exec(open) ?? [];
      if (name === undefined) continue;
      pairs.set(name, value ?? "");
      open = undefined;
    } else if (open === undefined) throw new UsageError(`ARGOCD_OPTS: "${word}" stands behind no flag`);
    else {
      pairs.set(open, word);
      open = undefined;
    }
  }
  if (open !== undefined) pairs.set(open, "true");
  const known = [...pairs].filter(([name]) => name in globalFlags);
  for (const [name] of pairs)
    if (!(name in globalFlags)) err(`warning: ARGOCD_OPTS: --${name} is no global flag and has no effect\n`);
  return parseFlags(
    known.map(([name, value]) => `--${name}=${value}`),
    globalFlags,
  ).flags;
}

/** As a shell splits words: quotes and backslashes, nothing else. */
function splitWords(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  const pieces = /\s+|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|[^\s'"\\]+|(['"\\])/gsu;
  for (const [piece, single, double, escaped, broken] of text.matchAll(pieces)) {
    if (broken !== undefined) throw new UsageError(`ARGOCD_OPTS: ${broken} is not closed`);
    if (/^\s/.test(piece)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + (single ?? double?.replace(/\\(["\\$`])/g, "$1") ?? escaped ?? piece);
  }
  return word === undefined ? words : [...words, word];
}
