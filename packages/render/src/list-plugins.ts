import { type Pipeline, stageName } from "@capstan/model";
import { directory } from "@capstan/plugin-directory";
import { helm } from "@capstan/plugin-helm";
import type { Plugin } from "@capstan/plugin-kit";
import { kustomize } from "@capstan/plugin-kustomize";
import type { PluginSummary } from "@capstan/wire";
import type { RenderKeys } from "./inputs/render-keys.ts";
import type { InstalledPlugin } from "./remote/installed-plugin.ts";
import type { PluginCatalog } from "./remote/plugin-catalog.ts";

/** Everything that an application can name as its plugin. */
export async function listPlugins(
  catalog: PluginCatalog,
  { pipelines, keys, signal }: { pipelines: readonly Pipeline[]; keys: RenderKeys; signal: AbortSignal },
): Promise<PluginSummary[]> {
  const { plugins } = await catalog.current(signal);
  const single = [
    ...[directory, helm, kustomize].map((plugin) => summary(plugin, "built-in", "declared")),
    ...plugins.map((plugin) => ({
      ...summary(plugin, "installed", keyOf(plugin)),
      ...notesOn(plugin, keys),
    })),
  ];
  const byName = new Map(single.map((one) => [one.name, one]));
  return [...single, ...pipelines.map((pipeline) => pipelineSummary(pipeline, byName))];
}

function summary(
  plugin: Plugin,
  origin: PluginSummary["origin"],
  keyedBy: PluginSummary["keyedBy"],
): PluginSummary {
  const { name, discover, sensitive = false, parameters = [] } = plugin;
  const asks = "hasDiscovery" in plugin && plugin.hasDiscovery === true;
  const discovery = discover?.fileName ?? discover?.find?.glob ?? (asks ? "asks the plugin" : undefined);
  const concurrency = "concurrency" in plugin ? plugin.concurrency : undefined;
  return {
    name,
    shapes: plugin.expand
      ? ["generate"]
      : (["prepare", "generate", "transform"] as const).filter((shape) => plugin[shape] !== undefined),
    origin,
    ...(discovery === undefined ? {} : { discovery }),
    keyedBy,
    sensitive,
    ...(typeof concurrency === "number" ? { concurrency } : {}),
    parameters,
  };
}

function notesOn({ name, notes = [] }: InstalledPlugin, keys: RenderKeys): Pick<PluginSummary, "notes"> {
  const unobservable = keys.unobservable(name);
  const why = `its last rendering is kept for one state of the repository only: ${unobservable.join("; ")}`;
  const all = unobservable.length === 0 ? notes : [...notes, why];
  return all.length === 0 ? {} : { notes: all };
}

function keyOf({ keyedBy, identity, inputs, expand }: InstalledPlugin): PluginSummary["keyedBy"] {
  if (keyedBy !== "inputs") return keyedBy;
  // One in this process names what it reads itself; for one elsewhere the whole repository is named.
  return identity === "" && (inputs ?? expand) ? "declared" : "repository";
}

function pipelineSummary(
  { metadata, spec }: Pipeline,
  plugins: ReadonlyMap<string, PluginSummary>,
): PluginSummary {
  const discovery = spec.discover?.fileName ?? spec.discover?.glob;
  const keys = spec.stages.map(({ plugin }) => plugins.get(plugin)?.keyedBy ?? "repository");
  const widest = (["repository", "observed"] as const).find((one) => keys.includes(one));
  return {
    name: metadata.name,
    shapes: ["generate"],
    origin: "pipeline",
    ...(discovery === undefined ? {} : { discovery }),
    keyedBy: widest ?? "declared",
    sensitive: spec.stages.some(
      ({ sensitive, plugin }) => sensitive === true || plugins.get(plugin)?.sensitive === true,
    ),
    parameters: spec.stages.flatMap((stage) =>
      (plugins.get(stage.plugin)?.parameters ?? []).map((one) => {
        const own = stage.parameters?.find(({ name }) => name === one.name);
        const { required, ...words } = one;
        const settled = own ? { ...words, ...own } : { ...words, ...(required ? { required } : {}) };
        return { ...settled, name: `${stageName(stage)}/${one.name ?? ""}` };
      }),
    ),
    stages: spec.stages.map((stage) => ({ name: stageName(stage), plugin: stage.plugin })),
  };
}
