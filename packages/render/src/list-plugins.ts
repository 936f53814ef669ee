import { type Pipeline, stageName } from "@capstan/model";
import type { Plugin } from "@capstan/plugin-kit";
import type { PluginSummary } from "@capstan/wire";
import type { RenderKeys } from "./inputs/render-keys.ts";
import type { PluginCatalog } from "./remote/plugin-catalog.ts";

interface ListOptions {
  tools: readonly Plugin[];
  pipelines: readonly Pipeline[];
  keys: RenderKeys;
  signal: AbortSignal;
}

/** Everything that an application can name as its plugin. */
export async function listPlugins(
  catalog: PluginCatalog,
  { tools, pipelines, keys, signal }: ListOptions,
): Promise<PluginSummary[]> {
  const { plugins, unreachable, busy } = await catalog.current(signal);
  const single = [
    ...tools.toSorted((left, right) => (left.name < right.name ? -1 : 1)).map(summary),
    ...plugins.map((plugin) => ({ ...summary(plugin), ...notesOn(plugin, keys, busy.get(plugin.name)) })),
    ...[...unreachable].map(([name, { message }]) => unreachableSummary(name, message)),
  ];
  const byName = new Map(single.map((one) => [one.name, one]));
  return [...single, ...pipelines.map((pipeline) => pipelineSummary(pipeline, byName))];
}

function summary(plugin: Plugin): PluginSummary {
  const { name, tool, discover, matches, concurrency, sensitive = false, parameters = [] } = plugin;
  const discovery = discover?.fileName ?? discover?.find?.glob ?? (matches ? "asks the plugin" : undefined);
  return {
    name,
    shapes: plugin.expand
      ? ["generate"]
      : (["prepare", "generate", "transform"] as const).filter((shape) => plugin[shape] !== undefined),
    origin: tool ? "built-in" : "installed",
    ...(discovery === undefined ? {} : { discovery }),
    keyedBy: keyOf(plugin),
    sensitive,
    ...(concurrency === undefined ? {} : { concurrency }),
    parameters,
  };
}

/** It is installed, and nothing else is known of it. */
function unreachableSummary(name: string, problem: string): PluginSummary {
  return {
    ...{ name, shapes: [], origin: "installed", keyedBy: "repository" },
    ...{ sensitive: false, parameters: [], notes: [problem] },
  };
}

function notesOn(
  { name, notes = [] }: Plugin,
  keys: RenderKeys,
  busy: string | undefined,
): Pick<PluginSummary, "notes"> {
  const unobservable = keys.unobservable(name);
  const why = `its last rendering is kept for one state of the repository only: ${unobservable.join("; ")}`;
  const all = [...(busy === undefined ? [] : [busy]), ...notes, ...(unobservable.length === 0 ? [] : [why])];
  return all.length === 0 ? {} : { notes: all };
}

function keyOf({ keyedBy = "inputs", identity, inputs, expand }: Plugin): PluginSummary["keyedBy"] {
  if (keyedBy !== "inputs") return keyedBy;
  // One in this process names what it reads itself; for one elsewhere the whole repository is named.
  return identity === undefined && (inputs ?? expand) ? "declared" : "repository";
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
