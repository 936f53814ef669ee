import { isRecord } from "@capstan/formats";
import { dumpYaml } from "@capstan/formats/yaml";
import {
  findReferences,
  type KustomizationFile,
  namedFiles,
  readKustomization,
  runBuild,
} from "@capstan/kustomizations";
import { CapstanError } from "@capstan/model";
import {
  type Generated,
  type GeneratedManifest,
  type Inputs,
  type Plugin,
  type RenderContext,
  type Stage,
  writeBelow,
} from "@capstan/plugin-kit";
import { DirectoryStage, hasFile } from "./directory-stage.ts";
import { chartFiles } from "./helm-stage.ts";
import { helmfileNames } from "./helmfile-stage.ts";
import { editValue, type FileEdit, isEdit } from "./merge-yaml.ts";
import type { SettingName } from "./parameters.ts";
import type { Env } from "./settings.ts";

const intermediate = "_lovely_resource.yaml";
const settingNames: readonly SettingName[] = [
  "LOVELY_KUSTOMIZE_PATH",
  "LOVELY_KUSTOMIZE_PARAMS",
  "LOVELY_KUSTOMIZE_MERGE",
  "LOVELY_KUSTOMIZE_PATCH",
  "LOVELY_HELM_PATH",
  "LOVELY_ENV_PROPAGATION",
];

/** `kustomize build` of a directory with a kustomization, over what a chart of it gave; else what there was. */
export function kustomizeStage(operator: Env): Plugin {
  return {
    name: "lovely-kustomize",
    inputs: async (context) => {
      const kustomization = await readKustomization(context.tree, context.path);
      const own = new DirectoryStage(context, operator);
      return kustomization
        ? inputs(own, kustomization)
        : { paths: [context.path], refs: {}, facts: "no kustomization" };
    },
    transform: async (manifests, context, stage) => {
      const kustomization = await readKustomization(context.tree, context.path);
      if (!kustomization) return { manifests, commands: [] };
      return build(manifests, new DirectoryStage(context, operator), { kustomization, stage });
    },
  };
}

async function inputs(own: DirectoryStage, kustomization: KustomizationFile): Promise<Inputs> {
  const { tree, path, kubeVersion, apiVersions } = own.context;
  const edited = edit(own, kustomization);
  const { paths } = await findReferences(tree, path, namedFiles(edited));
  return { paths, refs: {}, facts: [own.facts(settingNames), edited, kubeVersion, apiVersions] };
}

async function build(
  manifests: readonly GeneratedManifest[],
  own: DirectoryStage,
  { kustomization, stage }: { kustomization: KustomizationFile; stage: Stage },
): Promise<Generated> {
  const { context, settings } = own;
  const confined = own.confine(stage);
  const { root } = await confined.workspace();
  const content = edit(own, kustomization);
  const isOver = await isGenerated(context);
  if (isOver) {
    const text = manifests.map(({ manifest }) => `---\n${dumpYaml(manifest)}`).join("");
    writeBelow(root, context.path === "" ? intermediate : `${context.path}/${intermediate}`, {
      data: Buffer.from(text),
      mode: 0o600,
    });
    const resources = Array.isArray(content.resources) ? content.resources : [];
    content.resources = [...resources, intermediate];
  }
  writeBelow(root, kustomization.path, dumpYaml(content));
  return runBuild(context, confined, {
    kustomization,
    named: namedFiles(content),
    flags: ["--enable-helm", ...settings.args("LOVELY_KUSTOMIZE_PARAMS")],
    ...own.program("LOVELY_KUSTOMIZE_PATH", "kustomize"),
    env: own.env(true),
  });
}

/** Whether an earlier stage of the directory made the manifests so far. */
export async function isGenerated(context: RenderContext): Promise<boolean> {
  return (await hasFile(context, [...chartFiles, ...helmfileNames])) !== undefined;
}

function edit(
  { settings }: DirectoryStage,
  { path, text, content }: KustomizationFile,
): Record<string, unknown> {
  const [mergeName, patchName] = ["LOVELY_KUSTOMIZE_MERGE", "LOVELY_KUSTOMIZE_PATCH"] as const;
  const how: FileEdit = {
    mergeName,
    patchName,
    merge: settings.text(mergeName),
    patch: settings.text(patchName),
  };
  const edited = isEdit(how) ? editValue(text, how, path) : content;
  if (isRecord(edited)) return { ...edited };
  throw new CapstanError({ code: "YAML_INVALID", file: path, problem: "a kustomization must be an object" });
}
