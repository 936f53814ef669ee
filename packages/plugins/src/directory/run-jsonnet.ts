import { join } from "node:path";
import { CapstanError } from "@capstan/model";
import {
  type Command,
  displayCommand,
  expandEnv,
  type GeneratedManifest,
  joinWithin,
  parentOf,
  type RenderContext,
  type Stage,
} from "@capstan/plugin-kit";
import { readJsonnetOutput } from "./read-file.ts";

interface Variable {
  name: string;
  value: string;
  code?: boolean;
}

export interface JsonnetResult {
  manifests: GeneratedManifest[];
  command: string;
}

const installHint = "Install jsonnet (for example: apt-get install jsonnet) and put it on PATH";

/** One `.jsonnet` file; libraries are looked for beside it and in `libs`, which start at the repository's root. */
export async function runJsonnet(file: string, context: RenderContext, stage: Stage): Promise<JsonnetResult> {
  const { root } = await stage.workspace();
  const { extVars = [], tlas = [], libs = [] } = context.source.directory?.jsonnet ?? {};
  const searched = [context.path, ...libs.map((lib) => libraryPath(lib))].map((lib) => join(root, lib));
  const args = [
    ...extVars.flatMap((variable) => variableArgs("ext", variable, context.env)),
    ...tlas.flatMap((variable) => variableArgs("tla", variable, context.env)),
    // The last of several is searched first.
    ...searched.toReversed().flatMap((directory) => ["--jpath", directory]),
    "--",
    join(root, file),
  ];
  const command = { program: "jsonnet", tool: "jsonnet", args, cwd: join(root, parentOf(file)), installHint };
  const { stdout } = await stage.run(command);
  const shown: Command = { ...command, env: {}, hide: [root] };
  return { manifests: readJsonnetOutput(stdout.toString(), file), command: displayCommand(shown) };
}

/** What the output depends on besides files. */
export function jsonnetFacts({ source, env }: RenderContext): unknown {
  const { extVars = [], tlas = [], libs = [] } = source.directory?.jsonnet ?? {};
  const expanded = (variables: readonly Variable[]) =>
    variables.map((variable) => variableArgs("ext", variable, env));
  return { extVars: expanded(extVars), tlas: expanded(tlas), libs };
}

function variableArgs(
  kind: "ext" | "tla",
  { name, value, code }: Variable,
  env: RenderContext["env"],
): string[] {
  return [`--${kind}-${code ? "code" : "str"}`, `${name}=${expandEnv(value, env)}`];
}

function libraryPath(lib: string): string {
  const path = joinWithin("", lib);
  if (path === undefined)
    throw new CapstanError({ code: "PATH_OUTSIDE", path: lib, field: "directory.jsonnet.libs" });
  return path;
}
