import type { Clock } from "@capstan/flow";
import type { Terminal } from "../../streams/session.ts";
import { readShell } from "../pods/read-shell.ts";
import { nothingRuns } from "../simulation.ts";
import { commands, type Result, type Surroundings, unknownCommand } from "./commands.ts";
import { linesTyped } from "./lines-typed.ts";
import { runTar } from "./tar.ts";

const shells = new Set(["sh", "bash", "ash", "dash", "zsh"]);
const prompt = "simulated:# ";

export interface Process {
  readonly words: readonly string[];
  readonly tty: boolean;
  readonly container: string;
  readonly around: Surroundings;
  readonly clock: Clock;
}

/** Runs a command of a simulated container to its end; returns its exit code. */
export async function runProcess(process: Process, terminal: Terminal): Promise<number> {
  const [program = "", ...rest] = process.words;
  const name = program.slice(program.lastIndexOf("/") + 1);
  const at = process.tty ? crossing(terminal) : terminal;
  if (!shells.has(name)) {
    if (name === "cat" && rest.length === 0) return copy(at);
    return (await runWords(process, [name, ...rest], at)).code;
  }
  const flag = rest.findIndex((word) => /^-\w*c$/.test(word));
  if (flag >= 0) return (await runText(process, rest[flag + 1] ?? "", at)).code;
  return converse(process, at);
}

/** A terminal begins each line at its left. */
function crossing(terminal: Terminal): Terminal {
  const cross = (text: string): string => text.replaceAll("\n", "\r\n");
  return {
    ...terminal,
    out: (text) => terminal.out(typeof text === "string" ? cross(text) : text),
    err: (text) => terminal.err(cross(text)),
  };
}

async function copy(terminal: Terminal): Promise<number> {
  for await (const piece of terminal.input) terminal.out(piece);
  return 0;
}

/** Line after line of what is typed or piped in, until `exit` or the end. */
async function converse(process: Process, terminal: Terminal): Promise<number> {
  const { tty, container } = process;
  let code = 0;
  if (tty)
    terminal.out(
      `capstan: the shell of "${container}" is ${nothingRuns}. help says what it knows.\n${prompt}`,
    );
  for await (const line of linesTyped(terminal, tty)) {
    const done = await runText(process, line, terminal);
    code = done.code;
    if (done.exits) return code;
    if (tty) terminal.out(prompt);
  }
  if (tty) terminal.out("exit\n");
  return code;
}

interface Done {
  readonly code: number;
  readonly exits: boolean;
}

async function runText(process: Process, text: string, terminal: Terminal): Promise<Done> {
  const variables = process.around.variables;
  const read = readShell(text, variables);
  if (read === undefined) {
    terminal.err(
      `capstan: this shell is simulated: it knows single commands with ; && || quotes and $NAME, no pipes, files to write or globs\n`,
    );
    return { code: 2, exits: false };
  }
  let code = 0;
  for (const { words, after } of read) {
    if ((after === "&&" && code !== 0) || (after === "||" && code === 0)) continue;
    if (words[0] === "exit")
      return { code: words[1] === undefined ? code : Number(words[1]) & 255, exits: true };
    const isAssignment = words.every((word) => /^[A-Za-z_]\w*=/.test(word));
    code = (await runWords(process, isAssignment ? ["export", ...words] : words, terminal)).code;
  }
  return { code, exits: false };
}

async function runWords(
  { around, clock }: Process,
  [name = "", ...words]: readonly string[],
  terminal: Terminal,
): Promise<Result> {
  const { out, err, signal } = terminal;
  signal.throwIfAborted();
  const base = name.slice(name.lastIndexOf("/") + 1);
  if (base === "tar") return { code: await runTar(words, around, terminal) };
  const known = Object.hasOwn(commands, base) ? commands[base] : undefined;
  const result = known === undefined ? unknownCommand(name) : known(words, around);
  if (result.out) out(result.out);
  if (result.err) err(result.err);
  if (result.takesMs) await clock.sleep(result.takesMs, signal);
  return result;
}
