import { defineCommand } from "../../command.ts";
import { confirmIfEnabled } from "../../confirm.ts";

export default defineCommand({
  usage: "CREDSURL...",
  help: "Remove credentials for repositories.",
  argument: "none",
  arity: [1, 1000],
  flags: {},
  async run({ args, io, global, api }) {
    const client = await api();
    for (const url of args) {
      if (!(await confirmIfEnabled(io, global, `Are you sure you want to remove '${url}'?`))) {
        io.out(`The command to remove '${url}' was cancelled.\n`);
        continue;
      }
      await client.call("deleteRepoCreds", { url });
      io.out(`Repository credentials for '${url}' removed\n`);
    }
    return 0;
  },
});
