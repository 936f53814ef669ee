import { defineCommand } from "../../command.ts";
import { accountFlag, accountOf } from "./account-flag.ts";

export default defineCommand({
  usage: "",
  help: "Make a token for an account that may have some (accounts.<name>: apiKey in argocd-cm), and print it.",
  examples: ["capstan account generate-token --account ci --expires-in 24h --id build"],
  argument: "none",
  arity: [0, 0],
  flags: {
    ...accountFlag,
    "expires-in": { kind: "duration", short: "e", help: "How long it counts; 0s: for good", byDefault: "0s" },
    id: {
      kind: "string",
      help: "Id by which it is listed and deleted; a random one unless it is given",
      value: "ID",
    },
  },
  async run({ flags, io, api }) {
    const client = await api();
    const { token } = await client.call("createAccountToken", {
      name: await accountOf(client, flags.account),
      expiresIn: Math.floor((flags["expires-in"] ?? 0) / 1000),
      ...(flags.id ? { id: flags.id } : {}),
    });
    io.out(`${token}\n`);
    return 0;
  },
});
