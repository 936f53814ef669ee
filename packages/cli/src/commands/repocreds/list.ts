import type { OutOf, Routes } from "@capstan/wire";
import { defineCommand } from "../../command.ts";
import { outputFlag, printList } from "../../output/print-object.ts";
import { formatTable } from "../../output/table.ts";

export default defineCommand({
  usage: "",
  help: "List credentials for repositories whose address begins so. Secrets are not shown.",
  argument: "none",
  arity: [0, 0],
  flags: {
    output: outputFlag(["wide", "url", "json", "yaml"], "wide"),
  },
  async run({ flags, io, api }) {
    const { items } = await (await api()).call("listRepoCreds", {});
    await printList(io, flags.output, { items, line: ({ url }) => url, table: () => tableOf(items) });
    return 0;
  },
});

function tableOf(credentials: OutOf<Routes["listRepoCreds"]>["items"]): string {
  const rows = credentials.map(({ url, username, sshPrivateKey, tlsClientCertData }) => [
    url,
    username || "-",
    String(Boolean(sshPrivateKey)),
    String(Boolean(tlsClientCertData)),
  ]);
  return formatTable([["URL PATTERN", "USERNAME", "SSH_CREDS", "TLS_CREDS"], ...rows]);
}
