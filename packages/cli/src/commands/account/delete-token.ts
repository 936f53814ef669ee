import { defineCommand } from "../../command.ts";
import { confirmIfEnabled } from "../../confirm.ts";
import { accountFlag, accountOf } from "./account-flag.ts";

export default defineCommand({
  usage: "ID",
  help: "Delete a token of an account: from then on it counts no more.",
  examples: ["capstan account delete-token --account ci build"],
  argument: "none",
  arity: [1, 1],
  flags: accountFlag,
  async run({ args: [id = ""], flags, io, global, api }) {
    const client = await api();
    const name = await accountOf(client, flags.account);
    if (await confirmIfEnabled(io, global, `Are you sure you want to delete '${id}' token?`))
      await client.call("deleteAccountToken", { name, id });
    else io.out(`The command to delete '${id}' was cancelled.\n`);
    return 0;
  },
});
