import type { ExpandedStage, Plugin, RenderContext } from "@capstan/plugin-kit";
import { pluginsStage, preprocessStage, yamlStage } from "./command-stages.ts";
import { hasFile } from "./directory-stage.ts";
import { findDirectories } from "./find-directories.ts";
import { chartFiles, helmStage } from "./helm-stage.ts";
import { helmfileNames, helmfileStage } from "./helmfile-stage.ts";
import { kustomizeStage } from "./kustomize-stage.ts";
import { type Env, LovelySettings } from "./settings.ts";

/** Those of all directories that have something to do, in order; `operator` as in lovely.ts. */
export async function findStages(context: RenderContext, operator: Env): Promise<ExpandedStage[]> {
  const settings = new LovelySettings(context, operator);
  const directories = await findDirectories(context, settings.text("LOVELY_DETECTION_REGEX"));
  const stages: ExpandedStage[] = [];
  for (const path of directories) {
    const scope = path === "" ? "." : path;
    const title = (what: string) => (path === "" ? what : `${path} ${what}`);
    for (const { what, plugin } of await stagesOf(context, { settings, operator, path, directory: scope }))
      stages.push({ name: title(what), plugin, path, scope });
  }
  return stages;
}

interface Directory {
  settings: LovelySettings;
  operator: Env;
  /** From the application's directory. */
  path: string;
  /** The same as settings name it. */
  directory: string;
}

/** Those that have something to do; with preprocessors only their run can tell. */
async function stagesOf(
  context: RenderContext,
  { settings, operator, path, directory }: Directory,
): Promise<{ what: string; plugin: Plugin }[]> {
  const inner = { ...context, path: [context.path, path].filter((part) => part !== "").join("/") };
  const isPrepared = settings.commands("LOVELY_PREPROCESSORS", directory).length > 0;
  const plugins = settings.commands("LOVELY_PLUGINS", directory);
  const has = async (names: readonly string[]) => isPrepared || (await hasFile(inner, names)) !== undefined;
  const [isHelmfile, isChart, isKustomize] = [
    await has(helmfileNames),
    await has(chartFiles),
    await has(["kustomization.yaml", "kustomization.yml", "Kustomization"]),
  ];
  const isPlain = plugins.length === 0 && (isPrepared || !(isHelmfile || isChart || isKustomize));
  const all = [
    { what: "preprocess", isOn: isPrepared, plugin: preprocessStage(operator, directory) },
    { what: "helmfile", isOn: isHelmfile, plugin: helmfileStage(operator) },
    { what: "helm", isOn: isChart, plugin: helmStage(operator) },
    { what: "kustomize", isOn: isKustomize, plugin: kustomizeStage(operator) },
    { what: "yaml", isOn: isPlain, plugin: yamlStage() },
    {
      what: "plugins",
      isOn: plugins.length > 0,
      plugin: pluginsStage(operator, { directory, commands: plugins }),
    },
  ];
  return all.filter(({ isOn }) => isOn);
}
