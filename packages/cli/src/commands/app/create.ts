import { canonicalJson } from "@capstan/formats";
import type { Application } from "@capstan/model";
import { type Api, ApiError } from "../../api.ts";
import { defineCommand, UsageError } from "../../command.ts";
import { isObjectFormat, outputFlag, printObject } from "../../output/print-object.ts";
import { applicationFlags, describeApplication, readApplications } from "./described-application.ts";
import { warnBesideHydration } from "./source-flags.ts";

const createFlags = {
  ...applicationFlags,
  upsert: { kind: "boolean", help: "Change an application that exists already" },
  output: outputFlag(["json", "yaml"]),
} as const;

export default defineCommand({
  usage: "APPNAME",
  help: "Create an application.",
  examples: [
    "capstan app create guestbook --repo https://git.example/apps.git --path guestbook --dest-name in-cluster --dest-namespace default",
    "capstan app create -f application.yaml",
  ],
  argument: "none",
  arity: [0, 1],
  flags: createFlags,
  async run({ args: [name], flags, io, api }) {
    const given = await readApplications(flags.file, io);
    if (given.length > 1 && (name || flags.name))
      throw new UsageError("several applications cannot have one name");
    warnBesideHydration(io, flags);
    const client = await api();
    for (const one of given) {
      const application = await describeApplication(one, { name: name ?? flags.name, flags });
      const { upsert = false, validate = true } = flags;
      const before = await fetchIfThere(client, application);
      const created = await client.call("createApplication", { application, upsert, validate });
      if (isObjectFormat(flags.output)) await printObject(io, flags.output, created);
      else io.out(`application '${application.metadata.name}' ${whatWasDone(before, created)}\n`);
    }
    return 0;
  },
});

/** What keeps it from being found keeps it from being created too, and is told then. */
async function fetchIfThere(client: Api, { metadata }: Application): Promise<Application | undefined> {
  const { name, namespace } = metadata;
  try {
    return await client.call("getApplication", { name, ...(namespace ? { appNamespace: namespace } : {}) });
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** As argocd says it (cmd/argocd/commands/app.go hasAppChanged). */
function whatWasDone(before: Application | undefined, after: Application): string {
  if (before === undefined) return "created";
  const parts = ({ spec, metadata: { labels = {}, annotations = {}, finalizers: ends = [] } }: Application) =>
    canonicalJson({ spec, labels, annotations, ends });
  return parts(before) === parts(after) ? "unchanged" : "updated";
}
