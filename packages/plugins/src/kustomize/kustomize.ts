import { writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { CapstanError, dumpYaml, parsePlacedManifests } from "@capstan/model";
import {
  displayCommand,
  type Generated,
  type Inputs,
  inProcessPlugin,
  joinWithin,
  type RenderContext,
  type SourceTree,
  type Stage,
} from "@capstan/plugin-kit";
import { cacheFolder } from "../binaries/bundled-tools.ts";
import { toolPath } from "../binaries/tool-path.ts";
import { readKubeVersion } from "../helm/kube-version.ts";
import { editKustomization, isEdited } from "./edit-kustomization.ts";
import { helmForKustomize } from "./helm-command.ts";
import { type KustomizationFile, readKustomization } from "./kustomization-file.ts";
import { findReferences } from "./references.ts";

/** `kustomize build` with the options of an Argo CD source, on a private copy of only what it reads. */
export const kustomize = inProcessPlugin({ name: "kustomize", sourceType: "Kustomize", inputs, generate });

async function inputs(context: RenderContext): Promise<Inputs> {
  const { tree, path, source, settings, kubeVersion, apiVersions, env } = context;
  const kustomization = await needKustomization(context);
  const options = source.kustomize ?? {};
  const edited = edit(kustomization, context, await existingComponents(context));
  const extra = [
    ...(options.components ?? []),
    ...(options.patches ?? []).flatMap((patch) => patch.path ?? []),
  ];
  const references = await findReferences(tree, path, extra);
  const flags = buildFlags(context);
  const isEnv = references.isRemote ? { revision: env.ARGOCD_APP_REVISION } : {};
  const cluster = settings.kustomizeBuildOptions?.includes("--enable-helm")
    ? { kubeVersion, apiVersions }
    : {};
  return {
    paths: references.paths,
    refs: {},
    facts: { path, edited, flags, version: options.version, ...isEnv, ...cluster },
  };
}

async function generate(context: RenderContext, stage: Stage): Promise<Generated> {
  const kustomization = await needKustomization(context);
  refuseVersion(context);
  const { root } = await stage.workspace();
  const edited = edit(kustomization, context, await existingComponents(context));
  if (edited) await writeFile(join(root, kustomization.path), dumpYaml(edited));
  return runBuild(context, stage, { kustomization, flags: buildFlags(context) });
}

/** How a plugin around kustomize wants a build. */
export interface BuildOptions {
  kustomization: KustomizationFile;
  flags: readonly string[];
  program?: string;
  env?: Readonly<Record<string, string>>;
}

/** `kustomize build` of what stands in the workspace. */
export async function runBuild(
  context: RenderContext,
  stage: Stage,
  { kustomization, flags: shownFlags, env = {}, ...options }: BuildOptions,
): Promise<Generated> {
  const { root } = await stage.workspace();
  const program = options.program ?? (await toolPath("kustomize", stage.env));
  const flags = [...shownFlags];
  if (flags.includes("--enable-helm") && !flags.some((flag) => flag.startsWith("--helm-command")))
    flags.push(
      "--helm-command",
      await helmForKustomize(await toolPath("helm", stage.env), cacheFolder(stage.env)),
    );
  const verb = basename(program) === "kubectl" ? "kustomize" : "build";
  const directory = join(root, context.path);
  const command = {
    program,
    tool: "kustomize",
    args: [verb, directory, ...flags],
    shownArgs: ["build", directory, ...shownFlags],
    cwd: root,
    env,
  };
  const { stdout } = await stage.run(command);
  const file = kustomization.path;
  const manifests = parsePlacedManifests(stdout.toString(), { file: `output of kustomize for ${file}` });
  const shown = displayCommand({ ...command, hide: [root] });
  return {
    manifests: manifests.map(({ manifest, document }) => ({ manifest, origin: { file, document } })),
    commands: [shown],
  };
}

async function needKustomization({ tree, path }: RenderContext): Promise<KustomizationFile> {
  const found = await readKustomization(tree, path);
  if (found) return found;
  const file = path === "" ? "kustomization.yaml" : `${path}/kustomization.yaml`;
  throw new CapstanError({ code: "FILE_MISSING", file, neededBy: "the kustomize section of the source" });
}

function edit({ content }: KustomizationFile, { source, env }: RenderContext, components: readonly string[]) {
  const options = source.kustomize ?? {};
  return isEdited(options) ? editKustomization(content, options, { env, components }) : undefined;
}

/** Components of the source; with ignoreMissingComponents only those that are there. */
async function existingComponents({ tree, path, source }: RenderContext): Promise<string[]> {
  const { components = [], ignoreMissingComponents = false } = source.kustomize ?? {};
  const existing: string[] = [];
  for (const component of components)
    if (!ignoreMissingComponents || (await isDirectory(tree, path, component))) existing.push(component);
  return existing;
}

async function isDirectory(tree: SourceTree, path: string, component: string): Promise<boolean> {
  const target = joinWithin(path, component);
  return target !== undefined && (await tree.entry(target))?.kind === "directory";
}

function buildFlags({ source, settings, kubeVersion, apiVersions }: RenderContext): string[] {
  const flags = (settings.kustomizeBuildOptions ?? "").split(/\s+/).filter((flag) => flag !== "");
  if (!flags.includes("--enable-helm")) return flags;
  const version = readKubeVersion(source.kustomize?.kubeVersion || kubeVersion);
  if (version !== "") flags.push("--helm-kube-version", version);
  for (const api of source.kustomize?.apiVersions ?? apiVersions) flags.push("--helm-api-versions", api);
  return flags;
}

function refuseVersion({ source }: RenderContext): void {
  const version = source.kustomize?.version;
  if (!version) return;
  const problem = `version "${version}" is not configured here. Remove it to use the kustomize that is installed`;
  throw new CapstanError({ code: "INVALID_ARGUMENT", field: "source.kustomize.version", problem });
}
