import { defineCommand } from "../../command.ts";
import { formatTable } from "../../output/table.ts";
import { tokenTime } from "./role-create-token.ts";
import { findRole } from "./roles.ts";

export default defineCommand({
  usage: "PROJECT ROLE-NAME",
  help: "List the tokens of a role, newest first.",
  argument: "project",
  arity: [2, 2],
  flags: {
    unixtime: {
      kind: "boolean",
      short: "u",
      help: "Times in seconds since 1970, as delete-token takes them",
    },
  },
  async run({ args: [name = "", role = ""], flags, io, api }) {
    const { jwtTokens: tokens = [] } = findRole(await (await api()).call("getProject", { name }), role);
    if (tokens.length === 0) {
      io.out(`No tokens for ${name}.${role}\n`);
      return 0;
    }
    const shown = (seconds: number | undefined) => (flags.unixtime ? `${seconds ?? 0}` : tokenTime(seconds));
    const rows = tokens.map(({ id = "", iat, exp }) => [id, shown(iat), shown(exp)]);
    io.out(formatTable([["ID", "ISSUED AT", "EXPIRES AT"], ...rows], { gap: 4 }));
    return 0;
  },
});
