import { defineCommand } from "../../command.ts";
import { confirmIfEnabled } from "../../confirm.ts";

export default defineCommand({
  usage: "KEYID",
  help: "Remove a GnuPG key.",
  argument: "none",
  arity: [1, 1],
  flags: {},
  async run({ args: [keyID = ""], io, global, api }) {
    if (!(await confirmIfEnabled(io, global, `Are you sure you want to remove '${keyID}'?`))) {
      io.out(`The command to delete key with key ID '${keyID}' was cancelled.\n`);
      return 0;
    }
    await (await api()).call("deleteGpgKey", { keyID });
    io.out(`Deleted key with key ID ${keyID}\n`);
    return 0;
  },
});
