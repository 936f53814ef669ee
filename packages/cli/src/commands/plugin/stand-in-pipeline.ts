import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isRecord } from "@capstan/formats";
import { isPipeline, type Pipeline, type PipelineStage, parseYaml, pipelineApiVersion } from "@capstan/model";
import type { PluginSummary } from "@capstan/wire";
import type { LocalApp } from "./local-app.ts";

const kustomizations = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/**
 * A plugin that makes no manifests of its own is rendered as a stage: of the directory's own pipeline where that has
 * it, else behind or before the tool that the directory is for.
 */
export async function standInPipeline(
  app: LocalApp,
  plugins: readonly PluginSummary[],
): Promise<{ app: LocalApp; pipeline?: Pipeline }> {
  const { name } = app.source.plugin ?? {};
  if (!name) return { app };
  const directory = join(app.folder, app.source.path ?? ".");
  const named = (to: string | undefined): LocalApp => {
    const { name: _name, ...plugin } = app.source.plugin ?? {};
    return { ...app, source: { ...app.source, plugin: to === undefined ? plugin : { ...plugin, name: to } } };
  };
  if (await isStageOf(join(directory, "capstan.yaml"), name)) return { app: named(undefined) };
  const { shapes, origin } = plugins.find((one) => one.name === name) ?? {};
  if (origin === "pipeline" || !shapes || shapes.includes("generate")) return { app };
  const [own, tool] = [{ plugin: name }, { plugin: toolOf(directory) }];
  const stages = shapes.includes("prepare") ? [own, tool] : [tool, own];
  const pipeline = pipelineOf(`${name}-with-${tool.plugin}`, stages);
  return { app: named(pipeline.metadata.name), pipeline };
}

function pipelineOf(name: string, stages: PipelineStage[]): Pipeline {
  return { apiVersion: pipelineApiVersion, kind: "Pipeline", metadata: { name }, spec: { stages } };
}

async function isStageOf(file: string, plugin: string): Promise<boolean> {
  if (!existsSync(file)) return false;
  const value = parseYaml(await readFile(file, "utf8"), { file });
  if (isPipeline(value)) return value.spec.stages.some((stage) => stage.plugin === plugin);
  // A pipeline that is wrong is the renderer's to complain of.
  return isRecord(value) && value.kind === "Pipeline";
}

function toolOf(directory: string): string {
  if (existsSync(join(directory, "Chart.yaml"))) return "helm";
  const isKustomization = kustomizations.some((name) => existsSync(join(directory, name)));
  return isKustomization ? "kustomize" : "directory";
}
