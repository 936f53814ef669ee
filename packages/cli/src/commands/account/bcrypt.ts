import { defineCommand, ExitError } from "../../command.ts";
import { readPassword } from "../../confirm.ts";

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
    const { hash, truncates } = await import("bcryptjs");
    const password = flags.password || (await readPassword(io));
    if (truncates(password)) throw new ExitError("a password has 72 bytes at most: bcrypt takes no more", 20);
    io.out(await hash(password, rounds));
    return 0;
  },
});
