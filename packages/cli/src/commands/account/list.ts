import type { OutOf, Routes } from "@capstan/wire";
import { defineCommand } from "../../command.ts";
import { outputFlag, printList } from "../../output/print-object.ts";
import { formatTable } from "../../output/table.ts";

export default defineCommand({
  usage: "",
  help: "List the local accounts that you may see.",
  argument: "none",
  arity: [0, 0],
  flags: {
    output: outputFlag(["json", "yaml", "wide", "name"], "wide"),
  },
  async run({ flags, io, api }) {
    const { items } = await (await api()).call("listAccounts", {});
    await printList(io, flags.output, { items, line: ({ name }) => name, table: () => tableOf(items) });
    return 0;
  },
});

function tableOf(accounts: OutOf<Routes["listAccounts"]>["items"]): string {
  const rows = accounts.map(({ name, enabled, capabilities }) => [
    name,
    `${enabled}`,
    capabilities.join(", "),
  ]);
  return formatTable([["NAME", "ENABLED", "CAPABILITIES"], ...rows]);
}
