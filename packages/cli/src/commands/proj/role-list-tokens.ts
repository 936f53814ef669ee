import { defineCommand, ExitError } from "../../command.ts";
import { formatTable } from "../../output/table.ts";
import { tokenTime } from "./role-create-token.ts";

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
    const { spec } = await (await api()).call("getProject", { name });
    const found = spec.roles?.find((one) => one.name === role);
    if (!found) throw new ExitError(`role '${role}' does not exist in project '${name}'`, 20);
    const tokens = found.jwtTokens ?? [];
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
