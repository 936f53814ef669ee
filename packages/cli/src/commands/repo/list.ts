import { defineCommand } from "../../command.ts";
import { painter } from "../../output/paint.ts";
import { isObjectFormat, printObject } from "../../output/print-object.ts";
import { repoTable } from "../../output/repo-rows.ts";

export default defineCommand({
  usage: "",
  help: "List repositories.",
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
    refresh: { kind: "string", help: "`hard` tries the connections again", choices: ["hard"] },
  },
  async run({ flags, io, api }) {
    const client = await api();
    const { items } = await client.call("listRepositories", { forceRefresh: flags.refresh === "hard" });
    if (isObjectFormat(flags.output)) await printObject(io, flags.output, items);
    else if (flags.output === "url") io.out(items.map(({ repo }) => `${repo}\n`).join(""));
    else io.out(repoTable(items, painter(io)));
    return 0;
  },
});
