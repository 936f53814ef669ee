import { defineCommand } from "../../command.ts";
import { isObjectFormat, printObject } from "../../output/print-object.ts";
import { formatTable } from "../../output/table.ts";

export default defineCommand({
  usage: "",
  help: "List credentials for repositories whose address begins so. Secrets are not shown.",
  argument: "none",
  arity: [0, 0],
  flags: {
    output: {
      kind: "string",
      short: "o",
      help: "Output format",
      choices: ["wide", "url", "json", "yaml"],
      byDefault: "wide",
    },
  },
  async run({ flags, io, api }) {
    const { items } = await (await api()).call("listRepoCreds", {});
    if (isObjectFormat(flags.output)) await printObject(io, flags.output, items);
    else if (flags.output === "url") io.out(items.map(({ url }) => `${url}\n`).join(""));
    else {
      const rows = items.map(({ url, username, sshPrivateKey, tlsClientCertData }) => [
        url,
        username || "-",
        String(Boolean(sshPrivateKey)),
        String(Boolean(tlsClientCertData)),
      ]);
      io.out(formatTable([["URL PATTERN", "USERNAME", "SSH_CREDS", "TLS_CREDS"], ...rows]));
    }
    return 0;
  },
});
