import { defineCommand } from "../../command.ts";
import { confirmIfEnabled } from "../../confirm.ts";

export default defineCommand({
  usage: "PROJECT...",
  help: "Delete projects that no application uses.",
  argument: "project",
  arity: [1, 1000],
  flags: {},
  async run({ args, io, global, api }) {
    const client = await api();
    for (const name of args) {
      if (!(await confirmIfEnabled(io, global, `Are you sure you want to delete ${name}?`))) {
        io.out(`The command to delete ${name} was cancelled.\n`);
        continue;
      }
      await client.call("deleteProject", { name });
      io.out(`project '${name}' deleted\n`);
    }
    return 0;
  },
});
