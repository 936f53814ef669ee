import { isCapstanError, isRecord, type ParameterAnnouncement } from "@capstan/model";
import { readChartValues } from "@capstan/plugin-helm";
import type { Plugin, RenderContext } from "@capstan/plugin-kit";
import type { DescribedStage, ManifestRequest, SourceDescription } from "@capstan/wire";
import type { ManifestGenerator } from "./generate-manifests.ts";
import { type OpenStage, stageContext } from "./pipeline/open-pipeline.ts";
import { isPipelinePlugin } from "./pipeline/pipelines.ts";
import { isInstalled } from "./remote/installed-plugin.ts";

/**
 * What can be set for a source. Its own parameters play no part in finding it out, so that a wrong one does not keep
 * anyone from mending it.
 */
export async function describeSource(
  generator: ManifestGenerator,
  request: ManifestRequest,
  signal: AbortSignal,
): Promise<SourceDescription> {
  const { plugin, context } = await generator.open(withoutValues(request), signal);
  const asked = { ...context, source: { ...context.source, ...pluginOf(request) } };
  const about = { plugin: plugin.name, sourceType: plugin.sourceType ?? "Plugin" };
  if (isPipelinePlugin(plugin)) {
    const stages = plugin.written.map((stage) => describeStage(stage, asked, signal));
    return { ...about, stages: await Promise.all(stages) };
  }
  const { name, sensitive = false } = plugin;
  const own = { name, plugin: name, sensitive, parameters: [], env: [] };
  const isHelm = plugin.sourceType === "Helm";
  const isKustomize = plugin.sourceType === "Kustomize";
  return {
    ...about,
    stages: [{ ...own, ...(await announcements(plugin, asked, signal)) }],
    ...(isHelm ? { helm: await readChartValues(context) } : {}),
    ...(isKustomize ? { kustomize: { images: await readImages(generator, request, signal) } } : {}),
  };
}

function withoutValues({ source, ...rest }: ManifestRequest): ManifestRequest {
  const { parameters: _parameters, env: _env, ...plugin } = source.plugin ?? {};
  return { ...rest, source: source.plugin ? { ...source, plugin } : source };
}

function pluginOf({ source: { plugin } }: ManifestRequest): Pick<ManifestRequest["source"], "plugin"> {
  return plugin ? { plugin } : {};
}

async function describeStage(
  stage: OpenStage,
  context: RenderContext,
  signal: AbortSignal,
): Promise<DescribedStage> {
  const { name, plugin, sensitive, spec } = stage;
  const own = stageContext(context, stage, context.tree);
  return {
    name,
    plugin: plugin.name,
    sensitive,
    parameters: spec.parameters ?? [],
    env: spec.env ?? [],
    ...(await announcements(plugin, own, signal)),
  };
}

type Announced = Pick<DescribedStage, "announced" | "problem">;

/** A plugin that cannot be asked still has what its definition says. */
async function announcements(
  plugin: Plugin,
  context: RenderContext,
  signal: AbortSignal,
): Promise<Announced> {
  const announced = plugin.parameters ?? [];
  try {
    if (plugin.sourceType === "Helm") return { announced: await chartParameters(context) };
    const asked = isInstalled(plugin) ? await plugin.announce?.(context, signal) : undefined;
    return { announced: asked === undefined ? announced : lastOfEach(asked) };
  } catch (error) {
    signal.throwIfAborted();
    if (!isCapstanError(error)) throw error;
    return { announced, problem: error.message };
  }
}

async function chartParameters(context: RenderContext): Promise<ParameterAnnouncement[]> {
  const { parameters } = await readChartValues(context);
  return parameters.map(({ name, value }) => ({ name, string: value }));
}

/** A server sends dynamic parameters first, and of equal names the last holds (Argo CD: cmpserver/plugin getParametersAnnouncement). */
function lastOfEach(announced: readonly ParameterAnnouncement[]): ParameterAnnouncement[] {
  return [...new Map(announced.map((one) => [one.name ?? "", one])).values()];
}

/** The images as they are without the source's overrides; none where it cannot be built now. */
async function readImages(
  generator: ManifestGenerator,
  request: ManifestRequest,
  signal: AbortSignal,
): Promise<string[]> {
  const { images: _images, ...kustomize } = request.source.kustomize ?? {};
  try {
    const source = { ...request.source, kustomize };
    const { manifests } = await generator.generate({ ...request, source }, signal);
    return [...new Set(manifests.flatMap(({ manifest }) => imagesIn(manifest)))].sort();
  } catch (error) {
    signal.throwIfAborted();
    if (isCapstanError(error)) return [];
    throw error;
  }
}

/** Argo CD: util/kustomize getImageParameters. */
function imagesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(imagesIn);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, item]) => {
    if ((name !== "containers" && name !== "initContainers") || !Array.isArray(item)) return imagesIn(item);
    return item.flatMap((container) =>
      isRecord(container) && typeof container.image === "string" ? [container.image] : [],
    );
  });
}
