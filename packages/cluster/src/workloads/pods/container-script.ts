import { durationMs } from "../simulation.ts";
import { readShell, type ShellCommand } from "./read-shell.ts";

/** What a simulated command prints and when, how long it takes and how it ends. */
export interface Script {
  lines: readonly { atMs: number; text: string }[];
  /** Infinity for `sleep infinity`. */
  durationMs: number;
  exitCode: number;
}

const shells = new Set(["sh", "bash", "ash", "dash"]);
const mostOutput = 1 << 20;

/**
 * The script of a command made only of true, false, :, exit, sleep and echo, run directly or by `sh -c` with
 * `;`, `&&`, `||` and newlines between. Undefined for any other.
 */
export function containerScript(
  words: readonly string[],
  variables: ReadonlyMap<string, string>,
): Script | undefined {
  const expanded = words.map((word) => expandReferences(word, variables));
  const [program] = expanded;
  if (program === undefined) return undefined;
  if (!shells.has(baseName(program))) return run([{ words: expanded, after: ";" }]);
  const text = shellText(expanded.slice(1));
  const commands = text && readShell(text.script, variables);
  return commands && run(commands, text.stopsOnFailure);
}

/** Kubernetes' own $(NAME), with $$ for a dollar; an unknown name stays as written. */
function expandReferences(word: string, variables: ReadonlyMap<string, string>): string {
  return word.replace(/\$\$|\$\(([A-Za-z_.-][\w.-]*)\)/g, (written, name?: string) =>
    name === undefined ? "$" : (variables.get(name) ?? written),
  );
}

function shellText(options: readonly string[]): { script: string; stopsOnFailure: boolean } | undefined {
  let stopsOnFailure = false;
  for (const [at, word] of options.entries()) {
    if (!/^-[a-z]+$/.test(word)) return undefined;
    stopsOnFailure ||= word.includes("e");
    const script = options[at + 1];
    if (word.includes("c")) return script === undefined ? undefined : { script, stopsOnFailure };
  }
  return undefined;
}

interface Progress {
  lines: { atMs: number; text: string }[];
  atMs: number;
  code: number;
  printed: number;
  /** echo -n: the next line continues here. */
  unfinished: boolean;
}

function run(commands: readonly ShellCommand[], stopsOnFailure = false): Script | undefined {
  const progress: Progress = { lines: [], atMs: 0, code: 0, printed: 0, unfinished: false };
  let strict = stopsOnFailure;
  let ended = false;
  for (const [at, { words, after }] of commands.entries()) {
    const [program = "", ...rest] = words;
    const known = knownCommands.get(baseName(program));
    if (!known) return undefined;
    const skipped =
      ended || (after === "&&" && progress.code !== 0) || (after === "||" && progress.code === 0);
    const effect = known(rest, skipped ? { ...progress, lines: [] } : progress);
    if (effect === undefined) return undefined;
    if (skipped) continue;
    if (effect === "strict") strict = true;
    const isLastOfChain = (commands[at + 1]?.after ?? ";") === ";";
    ended = effect === "exit" || (strict && progress.code !== 0 && isLastOfChain && after !== "||");
  }
  return { lines: progress.lines, durationMs: progress.atMs, exitCode: progress.code };
}

type Effect = "continue" | "exit" | "strict" | undefined;

const knownCommands: ReadonlyMap<string, (words: readonly string[], progress: Progress) => Effect> = new Map([
  ["true", (_words: readonly string[], progress: Progress): Effect => finish(progress, 0)],
  [":", (_words: readonly string[], progress: Progress): Effect => finish(progress, 0)],
  ["false", (_words: readonly string[], progress: Progress): Effect => finish(progress, 1)],
  ["set", (words: readonly string[], progress: Progress): Effect => set(words, progress)],
  ["exit", exit],
  ["sleep", sleep],
  ["echo", echo],
]);

function finish(progress: Progress, code: number): Effect {
  progress.code = code;
  return "continue";
}

function set(words: readonly string[], progress: Progress): Effect {
  if (!words.every((word) => /^-[eux]+$/.test(word) || word === "-o" || word === "pipefail"))
    return undefined;
  progress.code = 0;
  return words.some((word) => /^-.*e/.test(word)) ? "strict" : "continue";
}

function exit([code]: readonly string[], progress: Progress): Effect {
  if (code === undefined) return "exit";
  if (!/^\d+$/.test(code)) return undefined;
  progress.code = Number(code) & 255;
  return "exit";
}

function sleep(words: readonly string[], progress: Progress): Effect {
  if (words.length === 0) return undefined;
  for (const word of words) {
    const ms = /^inf(inity)?$/i.test(word) ? Number.POSITIVE_INFINITY : durationMs(word);
    if (ms === undefined) return undefined;
    progress.atMs += ms;
  }
  return finish(progress, 0);
}

function echo(words: readonly string[], progress: Progress): Effect {
  let first = 0;
  let newline = true;
  while (/^-[neE]+$/.test(words[first] ?? "")) {
    if (words[first]?.includes("n")) newline = false;
    first += 1;
  }
  const text = words.slice(first).join(" ");
  if (progress.printed < mostOutput && progress.atMs !== Number.POSITIVE_INFINITY)
    print(text, newline, progress);
  return finish(progress, 0);
}

function print(text: string, newline: boolean, progress: Progress): void {
  progress.printed += text.length + 1;
  for (const line of text.split("\n")) {
    const last = progress.lines.at(-1);
    if (progress.unfinished && last) last.text += line;
    else progress.lines.push({ atMs: progress.atMs, text: line });
    progress.unfinished = false;
  }
  progress.unfinished = !newline;
}

function baseName(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1);
}
