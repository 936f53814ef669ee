import { argoApiVersion } from "@capstan/model";
import { defineCommand, UsageError } from "../../command.ts";
import { appTable } from "../../output/app-rows.ts";
import { painter } from "../../output/paint.ts";
import { isObjectFormat, outputFlag, printObject } from "../../output/print-object.ts";
import { roomOf } from "../../output/table.ts";
import { readSets } from "./read-sets.ts";

export default defineCommand({
  usage: "FILE",
  help: "Show the applications that a set would make, without making anything.",
  examples: ["capstan appset generate set.yaml", "capstan appset generate set.yaml -o yaml"],
  argument: "file",
  arity: [1, 1],
  flags: {
    output: outputFlag(["wide", "json", "yaml"], "wide"),
  },
  async run({ args: [file = ""], flags, io, api }) {
    const [applicationSet, ...more] = await readSets(file, io);
    if (!applicationSet || more.length > 0)
      throw new UsageError("Input file must contain one ApplicationSet");
    const client = await api();
    const { applications = [] } = await client.call("generateApplicationSet", { applicationSet });
    const apps = applications.map((app) => ({
      ...app,
      apiVersion: argoApiVersion,
      kind: "Application" as const,
    }));
    if (isObjectFormat(flags.output)) await printObject(io, flags.output, apps);
    else io.out(appTable(apps, painter(io), roomOf(io)));
    return 0;
  },
});
