import { canonicalJson, isRecord } from "@capstan/formats";
import { type Application, argoApiVersion, finalizers, parseYamlDocuments } from "@capstan/model";
import { type Api, ApiError } from "../../api.ts";
import { defineCommand, ExitError, type FlagValues, UsageError } from "../../command.ts";
import type { Io } from "../../io.ts";
import { isObjectFormat, outputFlag, printObject } from "../../output/print-object.ts";
import { readPairs } from "../../read-pairs.ts";
import { readText } from "../../read-text.ts";
import { readAppName } from "./app-name.ts";
import { applyAppFlags } from "./apply-app-flags.ts";
import { appFlags, saysSomething } from "./source-flags.ts";

const createFlags = {
  ...appFlags,
  file: {
    kind: "string",
    short: "f",
    help: "Application from a file, an address, or - for standard input",
    value: "FILE",
  },
  name: { kind: "string", help: "Name of the application", value: "NAME" },
  label: { kind: "strings", short: "l", help: "Label, name=value", value: "LABEL" },
  annotations: { kind: "strings", help: "Annotation, name=value", value: "ANNOTATION" },
  "set-finalizer": { kind: "boolean", help: "Delete the resources with the application" },
  upsert: { kind: "boolean", help: "Change an application that exists already" },
  output: outputFlag(["json", "yaml"]),
} as const;

type Values = FlagValues<typeof createFlags>;

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
    const given = flags.file ? await readApplications(flags.file, io) : [emptyApplication()];
    if (given.length > 1 && (name || flags.name))
      throw new UsageError("several applications cannot have one name");
    const client = await api();
    for (const one of given) {
      const application = await withFlags(one, { name: name ?? flags.name, flags });
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

function emptyApplication(): Application {
  return {
    apiVersion: argoApiVersion,
    kind: "Application",
    metadata: { name: "" },
    spec: { project: "default", destination: {} },
  };
}

async function withFlags(
  app: Application,
  { name, flags }: { name: string | undefined; flags: Values },
): Promise<Application> {
  if (name && app.metadata.name && name !== app.metadata.name)
    throw new UsageError(`the name "${name}" is not that of the file, "${app.metadata.name}"`);
  const ref = readAppName(name ?? app.metadata.name, flags["app-namespace"]);
  if (!ref.name)
    throw new UsageError("name the application: capstan app create APPNAME …, or give a file with -f");
  const hasSourceFlags = Object.keys(flags).some((flag) => saysSomething(flag));
  const spec = hasSourceFlags ? await applyAppFlags(app.spec, flags) : app.spec;
  const labels = { ...app.metadata.labels, ...readPairs("label", flags.label) };
  const annotations = { ...app.metadata.annotations, ...readPairs("annotations", flags.annotations) };
  const namespace = ref.appNamespace ?? app.metadata.namespace;
  return {
    ...app,
    spec,
    metadata: {
      ...app.metadata,
      name: ref.name,
      ...(namespace ? { namespace } : {}),
      ...(Object.keys(labels).length > 0 ? { labels } : {}),
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
      ...(flags["set-finalizer"]
        ? { finalizers: [...(app.metadata.finalizers ?? []), finalizers.resources] }
        : {}),
    },
  };
}

async function readApplications(file: string, io: Io): Promise<Application[]> {
  const text = await readText(file, io);
  const documents = parseYamlDocuments(text, { file: file === "-" ? "standard input" : file });
  const found = documents.map(({ value }) => value).filter(isApplication);
  if (found.length === 0) throw new ExitError(`${file} holds no Application`, 20);
  return found;
}

/** The server checks the rest, and says which field is wrong. */
function isApplication(value: unknown): value is Application {
  return (
    isRecord(value) &&
    value.kind === "Application" &&
    isRecord(value.metadata) &&
    isRecord(value.spec) &&
    isRecord(value.spec.destination)
  );
}
