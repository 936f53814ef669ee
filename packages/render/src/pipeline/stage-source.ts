import {
  type ApplicationSource,
  CapstanError,
  type Pipeline,
  type PipelineStage,
  type PluginParameter,
  type PluginSource,
  stageName,
} from "@capstan/model";
import type { Plugin } from "@capstan/plugin-kit";
import { bareSource } from "../choose/bare-source.ts";

/** What a stage is told beyond its files: the pipeline's settings with those of the application over them. */
export interface StageValues {
  readonly parameters: readonly PluginParameter[];
  readonly env: readonly { name: string; value: string }[];
}

/**
 * The application's `plugin.parameters` and `plugin.env` override a stage's: `STAGE/NAME` for one stage, a bare name
 * for every stage; parameters of a bare name not for built-in tools.
 */
export function stageValues(
  stage: PipelineStage,
  { tool }: Plugin,
  own: PluginSource | undefined,
): StageValues {
  const name = stageName(stage);
  const env = (own?.env ?? []).map((entry) => ({ name: entry.name ?? "", value: entry.value ?? "" }));
  return {
    parameters: mergeByName(stage.parameters ?? [], addressed(own?.parameters ?? [], name, !tool)),
    env: mergeByName(stage.env ?? [], addressed(env, name, true)),
  };
}

/** The source as the stage's plugin sees it: as if the application named that plugin alone. */
export function stageSource(
  source: ApplicationSource,
  { spec, plugin: { tool }, values }: { spec: PipelineStage; plugin: Plugin; values: StageValues },
): ApplicationSource {
  const bare = bareSource(source);
  const { plugin: name, config = {} } = spec;
  const { parameters, env } = values;
  if (!tool)
    return { ...bare, plugin: { name, parameters: [...parameters], env: env.map((one) => ({ ...one })) } };
  return { ...bare, [tool.section]: tool.withParameters?.(config, parameters) ?? config };
}

/** Refuses parameters and variables for stages that the pipeline does not have. */
export function checkAddresses({ spec }: Pipeline, own: PluginSource | undefined): void {
  const names = spec.stages.map(stageName);
  for (const field of ["parameters", "env"] as const)
    for (const { name = "" } of own?.[field] ?? []) {
      const slash = name.indexOf("/");
      if (slash < 0 || names.includes(name.slice(0, slash))) continue;
      throw new CapstanError({
        code: "INVALID_ARGUMENT",
        field: `source.plugin.${field}`,
        problem: `"${name}" is for stage ${name.slice(0, slash)}, but the stages are ${names.join(", ")}`,
      });
    }
}

function addressed<T extends { name?: string }>(all: readonly T[], stage: string, takesBare: boolean): T[] {
  return all.flatMap((one) => {
    const { name = "" } = one;
    if (!name.includes("/")) return takesBare ? [one] : [];
    return name.startsWith(`${stage}/`) ? [{ ...one, name: name.slice(stage.length + 1) }] : [];
  });
}

function mergeByName<T extends { name?: string }>(base: readonly T[], over: readonly T[]): T[] {
  const names = new Set(over.map(({ name }) => name));
  return [...base.filter(({ name }) => !names.has(name)), ...over];
}
