import { isCapstanError, type ParameterAnnouncement } from "@capstan/model";
import type { Plugin, RenderContext } from "@capstan/plugin-kit";
import type { DescribedStage, ManifestRequest, SourceDescription } from "@capstan/wire";
import type { ManifestGenerator } from "./generate-manifests.ts";
import { type OpenStage, stageContext } from "./pipeline/open-pipeline.ts";
import { isPipelinePlugin } from "./pipeline/pipelines.ts";

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
  const about = { plugin: plugin.name, sourceType: plugin.tool?.type ?? "Plugin" };
  if (isPipelinePlugin(plugin)) {
    const stages = plugin.written.map((stage) => describeStage(stage, asked, signal));
    return { ...about, stages: await Promise.all(stages) };
  }
  const { name, sensitive = false } = plugin;
  const own = { name, plugin: name, sensitive, parameters: [], env: [] };
  const described = await plugin.describe?.(context, async (change) => {
    const answer = await generator.generate({ ...request, source: change(request.source) }, signal);
    return answer.manifests.map(({ manifest }) => manifest);
  });
  signal.throwIfAborted();
  return {
    ...about,
    stages: [{ ...own, ...(await announcements(plugin, asked, signal)) }],
    ...described,
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
    const asked = await plugin.announce?.(context, signal);
    return { announced: asked === undefined ? announced : lastOfEach(asked) };
  } catch (error) {
    signal.throwIfAborted();
    if (!isCapstanError(error)) throw error;
    return { announced, problem: error.message };
  }
}

/** A server sends dynamic parameters first, and of equal names the last holds (Argo CD: cmpserver/plugin getParametersAnnouncement). */
function lastOfEach(announced: readonly ParameterAnnouncement[]): ParameterAnnouncement[] {
  return [...new Map(announced.map((one) => [one.name ?? "", one])).values()];
}
