import { readKubeVersion } from "@capstan/charts";
import { dumpYaml } from "@capstan/formats/yaml";
import { findReferences, type KustomizationFile, readKustomization, runBuild } from "@capstan/kustomizations";
import { CapstanError, type KustomizeSource } from "@capstan/model";
import {
  type Generated,
  type Inputs,
  inProcessPlugin,
  joinWithin,
  type RenderContext,
  type SourceTree,
  type Stage,
  writeBelow,
} from "@capstan/plugin-kit";
import { toolPath } from "@capstan/programs";
import { editKustomization, isEdited } from "./edit-kustomization.ts";
import { readImages } from "./read-images.ts";

/** `kustomize build` with the options of an Argo CD source, on a private copy of only what it reads. */
export const kustomize = inProcessPlugin({
  name: "kustomize",
  tool: { section: "kustomize", type: "Kustomize", isSign: (fileName) => fileNames.has(fileName) },
  inputs,
  describe: async (_context, render) => ({ kustomize: { images: await readImages(render) } }),
  generate,
});

const fileNames = new Set(["kustomization.yaml", "kustomization.yml", "Kustomization"]);

async function inputs(context: RenderContext): Promise<Inputs> {
  const { tree, path, source, settings, kubeVersion, apiVersions, env } = context;
  const kustomization = await needKustomization(context);
  const options = source.kustomize ?? {};
  const edited = edit(kustomization, context, await existingComponents(context));
  const references = await findReferences(tree, path, namedIn(options));
  const flags = buildFlags(context);
  const isEnv = references.isRemote ? { revision: env.ARGOCD_APP_REVISION } : {};
  const cluster = settings.kustomizeBuildOptions?.includes("--enable-helm")
    ? { kubeVersion, apiVersions }
    : {};
  return {
    paths: references.paths,
    refs: {},
    facts: { path, edited, flags, program: chosenProgram(context), ...isEnv, ...cluster },
  };
}

async function generate(context: RenderContext, stage: Stage): Promise<Generated> {
  const chosen = chosenProgram(context);
  const [kustomization, { root }, components, program] = await Promise.all([
    needKustomization(context),
    stage.workspace(),
    existingComponents(context),
    chosen ?? toolPath("kustomize", stage.env),
  ]);
  const edited = edit(kustomization, context, components);
  if (edited) writeBelow(root, kustomization.path, dumpYaml(edited));
  const named = namedIn(context.source.kustomize ?? {});
  return runBuild(context, stage, { kustomization, flags: buildFlags(context), named, program });
}

/** Files and directories that the source names besides those of the kustomization. */
function namedIn({ components = [], patches = [] }: KustomizeSource): string[] {
  return [...components, ...patches.flatMap(({ path }) => path ?? [])];
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

/** The program that the operator has for the version that the source asks for. */
function chosenProgram({ source, settings }: RenderContext): string | undefined {
  const version = source.kustomize?.version;
  if (!version) return undefined;
  const versions = settings.kustomizeVersions ?? {};
  const program = Object.hasOwn(versions, version) ? versions[version] : undefined;
  if (program !== undefined) return program;
  const known = Object.keys(versions).sort().join(", ") || "none";
  const problem = `version "${version}" is not configured: kustomize.path.${version} of argocd-cm would name its program. Configured: ${known}`;
  throw new CapstanError({ code: "INVALID_ARGUMENT", field: "source.kustomize.version", problem });
}
