import { defineCommand } from "../../command.ts";
import { painter } from "../../output/paint.ts";
import { isObjectFormat, outputFlag, printObject } from "../../output/print-object.ts";
import { repoTable } from "../../output/repo-rows.ts";

export default defineCommand({
  usage: "REPO",
  help: "Show one repository.",
  argument: "repository",
  arity: [1, 1],
  flags: {
    output: outputFlag(["wide", "url", "json", "yaml"], "wide"),
    project: { kind: "string", help: "Project of the repository", value: "PROJECT" },
    refresh: { kind: "string", help: "`hard` tries the connection again", choices: ["hard"] },
  },
  async run({ args: [repo = ""], flags, io, api }) {
    const client = await api();
    const forceRefresh = flags.refresh === "hard";
    const found = await client.call("getRepository", { repo, appProject: flags.project, forceRefresh });
    if (isObjectFormat(flags.output)) await printObject(io, flags.output, found);
    else io.out(flags.output === "url" ? `${found.repo}\n` : repoTable([found], painter(io)));
    return 0;
  },
});
