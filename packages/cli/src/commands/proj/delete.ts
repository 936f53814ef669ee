import { defineCommand } from "../../command.ts";

export default defineCommand({
  usage: "PROJECT...",
  help: "Delete projects that no application uses.",
  argument: "project",
  arity: [1, 1000],
  flags: {},
  async run({ args, io, api }) {
    const client = await api();
    for (const name of args) {
      await client.call("deleteProject", { name });
      io.out(`project '${name}' deleted\n`);
    }
    return 0;
  },
});
