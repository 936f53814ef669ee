import { readFile } from "node:fs/promises";
import { isRecord } from "@capstan/formats";
import { type ApplicationDestination, type AppProject, argoApiVersion, parseYaml } from "@capstan/model";
import { defineCommand, ExitError, UsageError } from "../../command.ts";

export default defineCommand({
  usage: "PROJECT",
  help: "Create a project.",
  examples: [
    "capstan proj create web --src https://git.example/web.git --dest https://kubernetes.default.svc,web-*",
    "capstan proj create -f project.yaml",
  ],
  argument: "none",
  arity: [0, 1],
  flags: {
    file: { kind: "string", short: "f", help: "Project from a file, or - for standard input", value: "FILE" },
    description: { kind: "string", help: "Description", value: "TEXT" },
    src: { kind: "strings", short: "s", help: "Permitted repository", value: "URL" },
    dest: {
      kind: "strings",
      short: "d",
      help: "Permitted destination, CLUSTER,NAMESPACE",
      value: "DESTINATION",
    },
    "allow-cluster-resource": {
      kind: "strings",
      help: "Permitted kind of cluster-scoped resource, GROUP/KIND",
      value: "KIND",
    },
    "source-namespaces": {
      kind: "list",
      help: "Namespaces in which its applications may be",
      value: "NAMESPACE",
    },
    "orphaned-resources": { kind: "boolean", help: "Watch for objects that belong to no application" },
    "orphaned-resources-warn": { kind: "boolean", help: "And warn of them" },
    upsert: { kind: "boolean", help: "Change a project that is there already" },
  },
  async run({ args: [name], flags, io, api }) {
    const given = flags.file
      ? readProject(
          flags.file === "-" ? await io.readInput() : await readFile(flags.file, "utf8"),
          flags.file,
        )
      : undefined;
    const projectName = name ?? given?.metadata.name;
    if (!projectName) throw new UsageError("name the project: capstan proj create PROJECT");
    const orphaned = flags["orphaned-resources"] || flags["orphaned-resources-warn"] !== undefined;
    const project: AppProject = {
      apiVersion: argoApiVersion,
      kind: "AppProject",
      metadata: { ...given?.metadata, name: projectName },
      spec: {
        ...given?.spec,
        ...(flags.description ? { description: flags.description } : {}),
        ...(flags.src ? { sourceRepos: [...flags.src] } : {}),
        ...(flags.dest ? { destinations: flags.dest.map(readDestination) } : {}),
        ...(flags["allow-cluster-resource"]
          ? { clusterResourceWhitelist: flags["allow-cluster-resource"].map(readKind) }
          : {}),
        ...(flags["source-namespaces"] ? { sourceNamespaces: [...flags["source-namespaces"]] } : {}),
        ...(orphaned ? { orphanedResources: { warn: flags["orphaned-resources-warn"] ?? false } } : {}),
      },
    };
    await (await api()).call("createProject", { project, upsert: flags.upsert ?? false });
    io.out(`project '${projectName}' created\n`);
    return 0;
  },
});

function readDestination(text: string): ApplicationDestination {
  const comma = text.lastIndexOf(",");
  if (comma <= 0) throw new UsageError(`--dest: "${text}" is not CLUSTER,NAMESPACE`);
  const [cluster, namespace] = [text.slice(0, comma), text.slice(comma + 1)];
  return /^https?:\/\/|[*]/.test(cluster) ? { server: cluster, namespace } : { name: cluster, namespace };
}

function readKind(text: string): { group: string; kind: string } {
  const slash = text.indexOf("/");
  return slash < 0 ? { group: "", kind: text } : { group: text.slice(0, slash), kind: text.slice(slash + 1) };
}

/** The server checks the rest, and says which field is wrong. */
function readProject(text: string, file: string): AppProject {
  const value = parseYaml(text, { file });
  if (!isProject(value)) throw new ExitError(`${file} holds no AppProject`, 20);
  return value;
}

function isProject(value: unknown): value is AppProject {
  return isRecord(value) && value.kind === "AppProject" && isRecord(value.metadata) && isRecord(value.spec);
}
