import { defineCommand, UsageError } from "../../command.ts";
import { confirmIfEnabled } from "../../confirm.ts";

export default defineCommand({
  usage: "PROJECT ROLE-NAME ISSUED-AT",
  help: "Delete a token of a role, by the second in which it was made (list-tokens --unixtime).",
  examples: ["capstan proj role delete-token team deploy 1696769937"],
  argument: "project",
  arity: [3, 3],
  flags: {},
  async run({ args: [project = "", role = "", iat = ""], io, global, api }) {
    if (!/^\d+$/.test(iat)) throw new UsageError(`ISSUED-AT "${iat}" is no time in seconds since 1970`);
    if (await confirmIfEnabled(io, global, `Are you sure you want to delete '${iat}' project token?`))
      await (await api()).call("deleteProjectToken", { project, role, iat });
    else io.out(`The command to delete project token '${iat}' was cancelled.\n`);
    return 0;
  },
});
