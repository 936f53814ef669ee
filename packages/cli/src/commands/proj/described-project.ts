import { isRecord } from "@capstan/formats";
import { type AppProject, argoApiVersion, parseYaml } from "@capstan/model";
import { ExitError, type Flags, type FlagValues, UsageError } from "../../command.ts";
import type { Io } from "../../io.ts";
import { readText } from "../../read-text.ts";
import { applyProjectFlags, projectFlags } from "./project-flags.ts";

/** By which a project is described, whole. */
export const describedFlags = {
  file: {
    kind: "string",
    short: "f",
    help: "Project from a file, an address, or - for standard input",
    value: "FILE",
  },
  ...projectFlags,
} as const satisfies Flags;

interface Described {
  readonly name: string | undefined;
  readonly flags: FlagValues<typeof describedFlags>;
}

/** What a file says of a project, and what flags say beside it. */
export async function describeProject({ name, flags }: Described, io: Io): Promise<AppProject> {
  const given = flags.file ? readProject(await readText(flags.file, io), flags.file) : undefined;
  if (name && given && name !== given.metadata.name)
    throw new ExitError(
      `project name '${name}' does not match project spec metadata.name '${given.metadata.name}'`,
      20,
    );
  const projectName = name ?? given?.metadata.name;
  if (!projectName) throw new UsageError("name the project, as PROJECT, or give a file with -f");
  return {
    apiVersion: argoApiVersion,
    kind: "AppProject",
    metadata: { ...given?.metadata, name: projectName },
    spec: applyProjectFlags(given?.spec ?? {}, flags),
  };
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
