import { defineCommand, ExitError } from "../../command.ts";
import { askLine } from "../../confirm.ts";
import type { Io } from "../../io.ts";

/** bcrypt.DefaultCost of Go. */
const rounds = 10;

export default defineCommand({
  usage: "",
  help: "Print the bcrypt hash of a password, as argocd-secret keeps it.",
  examples: ["capstan account bcrypt --password secret", "echo secret | capstan account bcrypt"],
  argument: "none",
  arity: [0, 0],
  standsAlone: true,
  flags: {
    password: {
      kind: "string",
      help: "Password; asked for when absent, or read from standard input",
      value: "TEXT",
    },
  },
  async run({ flags, io }) {
    const { hash } = await import("bcryptjs");
    io.out(await hash(flags.password || (await readPassword(io)), rounds));
    return 0;
  },
});

async function readPassword(io: Io): Promise<string> {
  if (io.errIsTerminal) return askLine(io, "Password: ", { hidden: true });
  const [line = ""] = (await io.readInput()).split("\n");
  if (line === "")
    throw new ExitError("no terminal to ask at: give --password, or the password on standard input", 20);
  return line;
}
