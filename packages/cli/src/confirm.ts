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

/** Nobody answers where there is no terminal, and nothing is waited for. */
export async function askLine(io: Io, question: string, { hidden = false } = {}): Promise<string> {
  if (!io.errIsTerminal) throw new ExitError(`no terminal to ask at: "${question.trim()}"`, 20);
  return io.ask(question, { hidden });
}
