import { currentToken } from "../../client/connect.ts";
import { defineCommand, UsageError } from "../../command.ts";
import { findServer } from "../../config/find-server.ts";

export default defineCommand({
  usage: "",
  help: "Print the token of the session, renewed where it has ended, for scripts that ask the API themselves.",
  examples: [
    'curl -H "Authorization: Bearer $(capstan account session-token)" https://capstan.example/api/v1/session/userinfo',
  ],
  argument: "none",
  arity: [0, 0],
  flags: {},
  async run({ io, global }) {
    const token = await currentToken(io, global, await findServer(io, global));
    if (!token) throw new UsageError("there is no session: log in with `capstan login SERVER`");
    io.out(`${token}\n`);
    return 0;
  },
});
