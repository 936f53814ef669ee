import { isRecord } from "@capstan/formats";
import { type Application, argoApiVersion, finalizers, parseYamlDocuments } from "@capstan/model";
import { ExitError, type Flags, type FlagValues, UsageError } from "../../command.ts";
import type { Io } from "../../io.ts";
import { readPairs } from "../../read-pairs.ts";
import { readText } from "../../read-text.ts";
import { readAppName } from "./app-name.ts";
import { applyAppFlags } from "./apply-app-flags.ts";
import { appFlags, saysSomething } from "./source-flags.ts";

/** By which an application is described, whole. */
export const applicationFlags = {
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
} as const satisfies Flags;

type Values = FlagValues<typeof applicationFlags>;

function emptyApplication(): Application {
  return {
    apiVersion: argoApiVersion,
    kind: "Application",
    metadata: { name: "" },
    spec: { project: "default", destination: {} },
  };
}

/** What a file says of an application, and what flags say beside it. */
export async function describeApplication(
  app: Application,
  { name, flags }: { name: string | undefined; flags: Values },
): Promise<Application> {
  if (name && app.metadata.name && name !== app.metadata.name)
    throw new ExitError(
      `app name '${name}' does not match app spec metadata.name '${app.metadata.name}'`,
      20,
    );
  const ref = readAppName(name ?? app.metadata.name, flags["app-namespace"]);
  if (!ref.name) throw new UsageError("name the application, as APPNAME, or give a file with -f");
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

/** Without a file: one of which nothing is known yet. */
export async function readApplications(file: string | undefined, io: Io): Promise<Application[]> {
  if (!file) return [emptyApplication()];
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
