import { canonicalJson } from "@capstan/formats";
import type { ApplicationSet } from "@capstan/model";
import { type Api, ApiError } from "../../api.ts";
import { defineCommand } from "../../command.ts";
import { isObjectFormat, outputFlag, printObject } from "../../output/print-object.ts";
import { setSummary } from "../../output/set-rows.ts";
import { readSets } from "./read-sets.ts";

export default defineCommand({
  usage: "FILE...",
  help: "Create application sets from files, addresses, or - for standard input.",
  examples: ["capstan appset create sets.yaml", "capstan appset create --dry-run sets.yaml -o json"],
  argument: "file",
  arity: [1, 1000],
  flags: {
    upsert: { kind: "boolean", help: "Change a set that exists already" },
    "dry-run": { kind: "boolean", help: "Change nothing; show what would come of it" },
    output: outputFlag(["wide", "json", "yaml"], "wide"),
  },
  async run({ args, flags, io, api }) {
    const client = await api();
    const { upsert = false, "dry-run": dryRun = false } = flags;
    for (const file of args)
      for (const applicationset of await readSets(file, io)) {
        const before = await fetchIfThere(client, applicationset);
        const created = await client.call("createApplicationSet", { applicationset, upsert, dryRun });
        const done = before === undefined ? "created" : isSame(before, created) ? "unchanged" : "updated";
        io.err(`ApplicationSet '${created.metadata.name}' ${done}${dryRun ? " (dry-run)" : ""}\n`);
        if (isObjectFormat(flags.output)) await printObject(io, flags.output, created);
        else io.out(setSummary(created));
      }
    return 0;
  },
});

async function fetchIfThere(client: Api, { metadata }: ApplicationSet): Promise<ApplicationSet | undefined> {
  const { name, namespace: appsetNamespace } = metadata;
  try {
    return await client.call("getApplicationSet", { name, appsetNamespace });
  } catch (error) {
    if (error instanceof ApiError && error.isNotFound) return undefined;
    throw error;
  }
}

function isSame(before: ApplicationSet, after: ApplicationSet): boolean {
  const parts = ({ spec, metadata: { labels = {}, annotations = {}, finalizers = [] } }: ApplicationSet) =>
    canonicalJson({ spec, labels, annotations, finalizers });
  return parts(before) === parts(after);
}
