import { defineCommand } from "../../command.ts";
import { confirmIfEnabled } from "../../confirm.ts";

export default defineCommand({
  usage: "REPO...",
  help: "Remove repositories from the settings; what was deployed from them stays.",
  argument: "repository",
  arity: [1, 1000],
  flags: { project: { kind: "string", help: "Project of the repositories", value: "PROJECT" } },
  async run({ args, flags, io, global, api }) {
    const client = await api();
    for (const repo of args) {
      if (!(await confirmIfEnabled(io, global, `Are you sure you want to delete repository '${repo}'?`))) {
        io.out(`The command to delete '${repo}' was cancelled.\n`);
        continue;
      }
      await client.call("deleteRepository", { repo, appProject: flags.project });
      io.out(`Repository '${repo}' removed\n`);
    }
    return 0;
  },
});
