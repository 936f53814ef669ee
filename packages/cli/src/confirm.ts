import { ExitError, type GlobalValues } from "./command.ts";
import { readConfig } from "./config/config-file.ts";
import { configPath } from "./config/config-path.ts";
import type { Io } from "./io.ts";

/** Whether questions that are optional are asked: only for who has said so (util/localconfig GetPromptsEnabled). */
export async function arePromptsEnabled(io: Io, global: GlobalValues): Promise<boolean> {
  const given = global["prompts-enabled"];
  if (given !== undefined) return given;
  return (await readConfig(await configPath(io, global)))?.["prompts-enabled"] === true;
}

/** Yes where questions are not enabled (cmd/argocd/commands/utils Prompt). */
export async function confirmIfEnabled(io: Io, global: GlobalValues, question: string): Promise<boolean> {
  return !(await arePromptsEnabled(io, global)) || (await confirm(io, question));
}

/** Until it is answered with yes or no. */
export async function confirm(io: Io, question: string): Promise<boolean> {
  for (;;) {
    const answer = (await askLine(io, `${question} (y/n) `)).trim().toLowerCase();
    if (answer === "y" || answer === "yes") return true;
    if (answer === "n" || answer === "no") return false;
  }
}

/** Yes, no, or yes to all that come after; `all` says what that letter is for. */
export async function confirmOneOf(
  io: Io,
  question: string,
  { isOneOfMany, all }: { isOneOfMany: boolean; all: string },
): Promise<"yes" | "no" | "all"> {
  for (;;) {
    const answer = (await askLine(io, `${question} ${isOneOfMany ? all : "[y/n]"} `)).trim().toLowerCase();
    if (answer === "y" || answer === "yes") return "yes";
    if (answer === "n" || answer === "no") return "no";
    if (isOneOfMany && (answer === "a" || answer === "all")) return "all";
  }
}

/** A password that is asked for, or the first line of what is piped in, without blanks around it (util/cli PromptPassword). */
export async function readPassword(io: Io): Promise<string> {
  if (io.errIsTerminal) return askUntilAnswered(io, "Password: ", { hidden: true });
  const line = (await io.readInput()).split("\n", 1)[0]?.trim() ?? "";
  if (line === "")
    throw new ExitError("no terminal to ask at: give --password, or the password on standard input", 20);
  return line;
}

/** What is typed hidden is taken as it is. */
export async function askUntilAnswered(io: Io, question: string, { hidden = false } = {}): Promise<string> {
  if (!io.errIsTerminal) throw new ExitError("no terminal to ask at: give --username and --password", 20);
  for (;;) {
    const answer = await io.ask(question, { hidden });
    if (answer !== "") return hidden ? answer : answer.trim();
  }
}

/** Nobody answers where there is no terminal, and nothing is waited for. */
export async function askLine(io: Io, question: string, { hidden = false } = {}): Promise<string> {
  if (!io.errIsTerminal) throw new ExitError(`no terminal to ask at: "${question.trim()}"`, 20);
  return io.ask(question, { hidden });
}
