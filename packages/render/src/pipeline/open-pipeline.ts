import { posix } from "node:path";
import {
  CapstanError,
  isCapstanError,
  messageOf,
  type Pipeline,
  type PipelineStage,
  stageName,
} from "@capstan/model";
import { expandEnv, isWithin, joinWithin, type Plugin, type RenderContext } from "@capstan/plugin-kit";
import { checkAddresses, type StageValues, stageSource, stageValues } from "./stage-source.ts";

export interface OpenStage {
  readonly name: string;
  readonly spec: PipelineStage;
  readonly plugin: Plugin;
  readonly values: StageValues;
  /** What it makes, or works on, may hold secrets. */
  readonly sensitive: boolean;
  /** It is given the manifests of stages with the same scope only; absent: all. */
  readonly scope?: string;
}

/** A pipeline with its plugins found. */
export interface OpenPipeline {
  readonly name: string;
  /** Its stages as they are written: what settings are for, and what is asked which it takes. */
  readonly written: readonly OpenStage[];
  /** Those that run: a plugin may stand for several, or for none. */
  readonly stages: readonly OpenStage[];
  /** A file of the tree that is the pipeline itself and not for its plugins. */
  readonly file?: string;
}

/** How a stage's plugin is found by its name; rejects with PLUGIN_MISSING. */
export type FindPlugin = (name: string) => Promise<Plugin>;

export async function openPipeline(
  pipeline: Pipeline,
  own: RenderContext["source"]["plugin"],
  { find, file, context }: { find: FindPlugin; file?: string; context: RenderContext },
): Promise<OpenPipeline> {
  checkAddresses(pipeline, own);
  const written: OpenStage[] = [];
  const stages: OpenStage[] = [];
  for (const spec of pipeline.spec.stages) {
    const name = stageName(spec);
    try {
      const plugin = await find(spec.plugin);
      const asked = {
        name,
        spec,
        plugin,
        values: stageValues(spec, plugin, own),
        sensitive: spec.sensitive === true,
      };
      const isAlone = pipeline.spec.stages.length === 1;
      for (const stage of await expand(asked, context, isAlone)) {
        const before = stages.at(-1)?.sensitive ?? false;
        stages.push({
          ...stage,
          sensitive: before || stage.sensitive || stage.plugin.sensitive === true,
        });
      }
      written.push({ ...asked, sensitive: stages.at(-1)?.sensitive ?? asked.sensitive });
    } catch (error) {
      throw inStage(error, name);
    }
  }
  return { name: pipeline.metadata.name, written, stages, ...(file === undefined ? {} : { file }) };
}

/** The stages that a stage's plugin stands for, or the stage itself. */
async function expand(stage: OpenStage, context: RenderContext, isAlone: boolean): Promise<OpenStage[]> {
  const { plugin, spec, name } = stage;
  if (!plugin.expand) return [stage];
  const inner = await plugin.expand(stageContext(context, stage, context.tree));
  return inner.map((one) => ({
    ...stage,
    name: isAlone ? one.name : `${name}: ${one.name}`,
    plugin: one.plugin,
    spec: { ...spec, path: posix.join(spec.path ?? "", one.path) },
    scope: `${name} ${one.scope}`,
  }));
}

/** What the stage's plugin is told: as if the application named that plugin alone. */
export function stageContext(
  context: RenderContext,
  { spec, plugin, values }: OpenStage,
  tree: RenderContext["tree"],
): RenderContext {
  const path = joinWithin(context.path, spec.path ?? "");
  if (path === undefined || !isWithin(context.path, path))
    throw new CapstanError({ code: "PATH_OUTSIDE", path: spec.path ?? "", field: "path of the stage" });
  const source = stageSource(context.source, { spec, plugin, values });
  const env = plugin.tool ? { ...context.env, ...argocdEnv(values.env, context.env) } : context.env;
  return { ...context, tree, path, source, env };
}

/** A built-in tool has no variables of its own: those of the stage stand for its settings' placeholders. */
function argocdEnv(own: StageValues["env"], env: RenderContext["env"]): Record<string, string> {
  return Object.fromEntries(own.map(({ name, value }) => [`ARGOCD_ENV_${name}`, expandEnv(value, env)]));
}

/** The failure, saying in which stage it happened. */
export function inStage(error: unknown, stage: string): unknown {
  if (isCapstanError(error)) return new CapstanError({ ...error.failure, stage }, error);
  if (error instanceof Error && error.name === "AbortError") return error;
  return new CapstanError({ code: "PLUGIN_FAILED", plugin: stage, problem: messageOf(error), stage }, error);
}
