import { defineCommand } from "../../command.ts";
import { painter } from "../../output/paint.ts";
import { outputFlag, printList } from "../../output/print-object.ts";
import { repoTable } from "../../output/repo-rows.ts";
import { roomOf } from "../../output/table.ts";

export default defineCommand({
  usage: "",
  help: "List repositories.",
  argument: "none",
  arity: [0, 0],
  flags: {
    output: outputFlag(["wide", "url", "json", "yaml"], "wide"),
    refresh: { kind: "string", help: "`hard` tries the connections again", choices: ["hard"] },
  },
  async run({ flags, io, api }) {
    const client = await api();
    const { items } = await client.call("listRepositories", { forceRefresh: flags.refresh === "hard" });
    const table = () => repoTable(items, painter(io), roomOf(io));
    await printList(io, flags.output, { items, line: ({ repo }) => repo, table });
    return 0;
  },
});
