import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringifyJson } from "@capstan/formats";
import { CapstanError, isCapstanError, ManifestReader } from "@capstan/model";
import {
  type Command,
  displayCommand,
  type Generated,
  type Inputs,
  type RenderContext,
  type Stage,
  traceLinks,
} from "@capstan/plugin-kit";
import { onPath, toolPath } from "@capstan/programs";
import { chartDirectories } from "./chart-dependencies.ts";
import { type DependencyLogin, fetchDependencies, missingDependencies } from "./fetch-dependencies.ts";
import { type TemplateFiles, type TemplatePlaces, templateArgs } from "./template-args.ts";
import { readTemplateOutput } from "./template-output.ts";
import { type HelmFile, resolveFileParameter, resolveValueFiles } from "./value-files.ts";

/** What a plugin around helm wants otherwise. */
export interface ChartOptions {
  program?: string;
  /** After the others. */
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  login?: DependencyLogin;
}

export async function chartInputs(context: RenderContext): Promise<Inputs> {
  const files = await findFiles(context);
  const all = [...files.valueFiles, ...files.fileParameters.map(({ file }) => file)];
  const directories = await chartDirectories(context.tree, context.path);
  const paths = [...directories, ...all.flatMap((file) => neededOf(file, undefined))];
  for (const directory of directories) paths.push(...(await traceLinks(context.tree, directory)).needed);
  const refs = Object.fromEntries(
    Object.keys(context.refs)
      .map((ref) => [ref, all.flatMap((file) => neededOf(file, ref))] as const)
      .filter(([, needed]) => needed.length > 0),
  );
  const places = {
    root: "",
    refs: Object.fromEntries(Object.keys(refs).map((ref) => [ref, `$${ref}`])),
    ownValues: undefined,
  };
  const isRemote = all.some((file) => file.kind === "url");
  const revision = isRemote ? context.tree.revision : undefined;
  return {
    paths,
    refs,
    facts: {
      path: context.path,
      args: templateArgs(context, files, places),
      values: ownValues(context),
      revision,
      version: context.source.helm?.version,
      passCredentials: context.source.helm?.passCredentials,
    },
  };
}

export async function renderChart(
  context: RenderContext,
  stage: Stage,
  options: ChartOptions = {},
): Promise<Generated> {
  const [workspace, program, named] = await Promise.all([
    stage.workspace(),
    options.program ?? helmProgram(context, stage.env),
    findFiles(context),
  ]);
  const files = await fetchFiles(named, workspace.scratch, stage);
  const values = ownValues(context);
  const places: TemplatePlaces = { ...workspace, ownValues: undefined };
  if (values !== undefined) {
    places.ownValues = join(workspace.scratch, "values.yaml");
    await writeFile(places.ownValues, values, { mode: 0o600 });
  }
  const chart = join(workspace.root, context.path);
  const args = [...templateArgs(context, files, places), ...(options.args ?? [])];
  const env = { ...options.env, ...(await helmEnv(workspace.scratch)) };
  const command = { program, tool: "helm", args, cwd: chart, env };
  const commands: Command[] = [command];
  const login = options.login ?? { passCredentials: context.source.helm?.passCredentials ?? false };
  const runTemplate = async () => {
    const reader = new ManifestReader({ file: "output of helm" });
    const run = { ...command, onStdout: (chunk: Buffer) => reader.add(chunk) };
    const { stdout } = await stage.run(run).catch(throwReadable);
    return readTemplateOutput(stdout.toString(), reader, context.path);
  };
  const manifests = await runTemplate().catch(async (error: unknown) => {
    const missing = missingDependencies(error);
    if (missing.length === 0) throw error;
    commands.unshift(...(await fetchDependencies({ context, stage, template: command, login }, missing)));
    return runTemplate();
  });
  const hide = [workspace.root, ...Object.values(workspace.refs), workspace.scratch];
  return {
    manifests,
    commands: commands.map((one) => displayCommand({ ...one, hide })),
  };
}

/** A hundred versions before it hide what helm said (Argo CD: util/helm cmd.go apiVersionsRemover). */
function throwReadable(error: unknown): never {
  if (!isCapstanError(error) || error.failure.code !== "TOOL_FAILED") throw error;
  const command = error.failure.command
    .replace(/(?:--api-versions \S+ ?)+/, "<api versions removed> ")
    .trim();
  throw new CapstanError({ ...error.failure, command }, error);
}

async function findFiles(context: RenderContext): Promise<TemplateFiles> {
  const fileParameters: { name: string; file: HelmFile }[] = [];
  for (const { name = "", path = "" } of context.source.helm?.fileParameters ?? [])
    fileParameters.push({ name, file: await resolveFileParameter(path, context) });
  return { valueFiles: await resolveValueFiles(context), fileParameters };
}

/** helm would fetch what stands behind a URL itself, and follow it anywhere. */
async function fetchFiles(files: TemplateFiles, scratch: string, stage: Stage): Promise<TemplateFiles> {
  let count = 0;
  const fetched = async (file: HelmFile): Promise<HelmFile> => {
    if (file.kind !== "url") return file;
    if (!/^https?:/i.test(file.url)) {
      // A scheme for which the operator has a plugin of helm's.
      await stage.credentials(file.url);
      return file;
    }
    const path = join(scratch, `value-file-${count++}`);
    await writeFile(path, await stage.file(file.url), { mode: 0o600 });
    return { kind: "fetched", url: file.url, path };
  };
  const fileParameters = files.fileParameters.map(async ({ name, file }) => ({
    name,
    file: await fetched(file),
  }));
  return {
    valueFiles: await Promise.all(files.valueFiles.map(fetched)),
    fileParameters: await Promise.all(fileParameters),
  };
}

function neededOf(file: HelmFile, ref: string | undefined): readonly string[] {
  return file.kind === "file" && file.ref === ref ? file.needed : [];
}

/** `valuesObject` wins over `values`; JSON is YAML. */
function ownValues({ source }: RenderContext): string | undefined {
  const { values, valuesObject } = source.helm ?? {};
  if (valuesObject !== undefined) return stringifyJson(valuesObject);
  return values === undefined || values === "" ? undefined : values;
}

/** Helm keeps its settings and what it downloads inside the render. */
export async function helmEnv(scratch: string): Promise<Record<string, string>> {
  const home = join(scratch, "helm");
  await mkdir(home, { recursive: true });
  return {
    HELM_CACHE_HOME: join(home, "cache"),
    HELM_CONFIG_HOME: join(home, "config"),
    HELM_DATA_HOME: join(home, "data"),
  };
}

/** `helm3` and `helm4` where they are installed, for sources that ask for a version; else the one helm. */
async function helmProgram({ source }: RenderContext, env: Stage["env"]): Promise<string> {
  const { version = "" } = source.helm ?? {};
  if (version === "") return toolPath("helm", env);
  if (version !== "v3" && version !== "v4") {
    const problem = `"${version}" is neither v3 nor v4`;
    throw new CapstanError({ code: "INVALID_ARGUMENT", field: "source.helm.version", problem });
  }
  return (await onPath(version === "v3" ? "helm3" : "helm4", env)) ?? toolPath("helm", env);
}
