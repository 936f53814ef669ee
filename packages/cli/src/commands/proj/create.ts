import { isRecord } from "@capstan/formats";
import { type AppProject, argoApiVersion, parseYaml } from "@capstan/model";
import { defineCommand, ExitError, UsageError } from "../../command.ts";
import { readText } from "../../read-text.ts";
import { applyProjectFlags, projectFlags } from "./project-flags.ts";

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
    file: {
      kind: "string",
      short: "f",
      help: "Project from a file, an address, or - for standard input",
      value: "FILE",
    },
    ...projectFlags,
    upsert: { kind: "boolean", help: "Change a project that is there already" },
  },
  async run({ args: [name], flags, io, api }) {
    const given = flags.file ? readProject(await readText(flags.file, io), flags.file) : undefined;
    if (name && given && name !== given.metadata.name)
      throw new ExitError(
        `project name '${name}' does not match project spec metadata.name '${given.metadata.name}'`,
        20,
      );
    const projectName = name ?? given?.metadata.name;
    if (!projectName) throw new UsageError("name the project: capstan proj create PROJECT");
    const project: AppProject = {
      apiVersion: argoApiVersion,
      kind: "AppProject",
      metadata: { ...given?.metadata, name: projectName },
      spec: applyProjectFlags(given?.spec ?? {}, flags),
    };
    await (await api()).call("createProject", { project, upsert: flags.upsert ?? false });
    io.out(`project '${projectName}' created\n`);
    return 0;
  },
});

/** The server checks the rest, and says which field is wrong. */
function readProject(text: string, file: string): AppProject {
  const value = parseYaml(text, { file });
  if (!isProject(value)) throw new ExitError(`${file} holds no AppProject`, 20);
  return value;
}

function isProject(value: unknown): value is AppProject {
  return isRecord(value) && value.kind === "AppProject" && isRecord(value.metadata) && isRecord(value.spec);
}
