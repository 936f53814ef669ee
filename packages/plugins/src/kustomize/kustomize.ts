import { basename, join } from "node:path";
import { CapstanError, dumpYaml, type KustomizeSource, ManifestReader } from "@capstan/model";
import {
  displayCommand,
  type Generated,
  type Inputs,
  inProcessPlugin,
  joinWithin,
  type RenderContext,
  type SourceTree,
  type Stage,
  writeBelow,
} from "@capstan/plugin-kit";
import { cacheFolder } from "../binaries/bundled-tools.ts";
import { toolPath } from "../binaries/tool-path.ts";
import { confinedStage, unconfinedVariable } from "../commands/confined-stage.ts";
import { readKubeVersion } from "../helm/kube-version.ts";
import { bringRemotes } from "./bring-remotes.ts";
import { editKustomization, isEdited } from "./edit-kustomization.ts";
import { chartsBelow, helmForKustomize } from "./helm-command.ts";
import { type KustomizationFile, readKustomization } from "./kustomization-file.ts";
import { findReferences } from "./references.ts";

/** `kustomize build` with the options of an Argo CD source, on a private copy of only what it reads. */
export const kustomize = inProcessPlugin({ name: "kustomize", sourceType: "Kustomize", inputs, generate });

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

/** How a plugin around kustomize wants a build. */
export interface BuildOptions {
  kustomization: KustomizationFile;
  flags: readonly string[];
  program?: string;
  /** What the kustomization names beyond the one in the tree. */
  named?: readonly string[];
  env?: Readonly<Record<string, string>>;
}

/** `kustomize build` of what stands in the workspace. */
export async function runBuild(
  context: RenderContext,
  stage: Stage,
  { kustomization, flags: shownFlags, env = {}, ...options }: BuildOptions,
): Promise<Generated> {
  const [{ root }, program] = await Promise.all([
    stage.workspace(),
    options.program ?? toolPath("kustomize", stage.env),
  ]);
  const flags = [...shownFlags];
  const build = { tree: context.tree, root, directory: context.path, named: options.named ?? [] };
  const brought = await bringRemotes(build, stage, flags.includes("--enable-helm"));
  if (flags.includes("--enable-helm") && !flags.some((flag) => flag.startsWith("--helm-command")))
    flags.push(
      "--helm-command",
      await helmForKustomize(await toolPath("helm", stage.env), cacheFolder(stage.env)),
    );
  const verb = basename(program) === "kubectl" ? "kustomize" : "build";
  const directory = join(root, context.path);
  const file = kustomization.path;
  const reader = new ManifestReader({ file: `output of kustomize for ${file}` });
  const command = {
    program,
    tool: "kustomize",
    args: [verb, directory, ...flags],
    shownArgs: ["build", directory, ...shownFlags],
    cwd: root,
    // A kustomization says where helm keeps its data (helmGlobals.configHome), and helm runs plugins that are there.
    env: {
      [chartsBelow]: root,
      HELM_PLUGINS: stage.env.HELM_PLUGINS ?? "/nonexistent",
      ...(runsPrograms(flags) ? {} : nothingElsewhere),
      ...env,
    },
  };
  const apart = reaches(flags) || brought.isRemote || brought.isConfigured ? confine(flags, stage) : stage;
  await apart.run({ ...command, onStdout: (chunk) => reader.add(chunk) });
  const shown = displayCommand({ ...command, hide: [root] });
  return {
    manifests: reader.end().map(({ manifest, document }) => ({ manifest, origin: { file, document } })),
    commands: [shown],
  };
}

/** Where there is no sandbox: git uses no transport, and nobody listens at the proxy. */
const nothingElsewhere = {
  GIT_ALLOW_PROTOCOL: "",
  ...Object.fromEntries(
    ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"].map((name) => [name, "http://127.0.0.1:1"]),
  ),
  ...{ no_proxy: "", NO_PROXY: "" },
};

/** Whether the flags let a kustomization lead beyond the files of its own repository. */
function reaches(flags: readonly string[]): boolean {
  return runsPrograms(flags) || flags.some((flag) => /LoadRestrictionsNone|^--enable-helm/.test(flag));
}

/** Whether they let it choose programs (kustomize docs: exec functions, plugins). */
function runsPrograms(flags: readonly string[]): boolean {
  return flags.some(
    (flag) => /^--(enable[-_]alpha[-_]plugins|enable-exec)(=|$)/.test(flag) && !flag.endsWith("=false"),
  );
}

/** What it names elsewhere has been brought: kustomize itself has nothing to ask for. */
function confine(flags: readonly string[], stage: Stage): Stage {
  const own = runsPrograms(flags);
  const mayRunOpenly = !own || stage.env[unconfinedVariable] === "true";
  return confinedStage(stage, { plugin: "kustomize", mayRunOpenly, network: own });
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
