import type { Api } from "../../api.ts";
import { ExitError } from "../../command.ts";
import type { Io } from "../../io.ts";

interface Given {
  readonly username: string | undefined;
  readonly password: string | undefined;
}

/** A token for a name and a password; who is not given is asked for, the password also from a pipe. */
export async function passwordLogin(api: Api, io: Io, given: Given): Promise<string> {
  const username = given.username || (await askUntilAnswered(io, "Username: ", { hidden: false }));
  const password =
    given.password ||
    (io.errIsTerminal
      ? await askUntilAnswered(io, "Password: ", { hidden: true })
      : firstLine(await io.readInput()));
  return (await api.call("login", { username, password })).token;
}

async function askUntilAnswered(io: Io, question: string, options: { hidden: boolean }): Promise<string> {
  if (!io.errIsTerminal) throw new ExitError("no terminal to ask at: give --username and --password", 20);
  for (;;) {
    const answer = await io.ask(question, options);
    if (answer !== "") return options.hidden ? answer : answer.trim();
  }
}

function firstLine(text: string): string {
  const [line = ""] = text.split("\n");
  if (line.trim() === "")
    throw new ExitError("no terminal to ask at: give --password, or the password on standard input", 20);
  return line.trim();
}
