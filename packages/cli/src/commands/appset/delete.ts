import { defineCommand } from "../../command.ts";
import { confirm } from "../../confirm.ts";
import { readSetName } from "./read-sets.ts";

export default defineCommand({
  usage: "APPSETNAME...",
  help: "Delete application sets with the applications that they made.",
  argument: "none",
  arity: [1, 1000],
  flags: { yes: { kind: "boolean", short: "y", help: "Do not ask" } },
  async run({ args, flags, io, api }) {
    const client = await api();
    for (const name of args) {
      const question = `Are you sure you want to delete '${name}' and all its Applications?`;
      if (io.outIsTerminal && !flags.yes && !(await confirm(io, question))) {
        io.out(`The command to delete '${name}' was cancelled.\n`);
        continue;
      }
      await client.call("deleteApplicationSet", readSetName(name));
      io.out(`applicationset '${name}' deleted\n`);
    }
    return 0;
  },
});
