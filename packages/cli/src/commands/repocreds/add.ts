import { defineCommand } from "../../command.ts";
import { compact } from "../../compact.ts";
import { credentialFlags, readCredentials } from "../repo/credential-flags.ts";

export default defineCommand({
  usage: "REPOURL",
  help: "Add credentials for all repositories whose address begins so.",
  examples: ["capstan repocreds add https://git.example/team/ --username me --password secret"],
  argument: "none",
  arity: [1, 1],
  flags: {
    ...credentialFlags,
    "proxy-url": { kind: "string", help: "Proxy", value: "URL" },
    upsert: { kind: "boolean", help: "Change credentials that are there already" },
  },
  async run({ args: [url = ""], flags, io, api }) {
    const creds = {
      url,
      ...(await readCredentials(url, flags, io)),
      ...compact({ proxy: flags["proxy-url"] }),
    };
    const client = await api();
    const added = await client.call("createRepoCreds", { creds, upsert: flags.upsert ?? false });
    io.out(`Repository credentials for '${added.url}' added\n`);
    return 0;
  },
});
