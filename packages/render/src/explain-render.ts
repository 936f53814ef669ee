import { CapstanError, type Manifest } from "@capstan/model";
import type { Plugin, SourceTree } from "@capstan/plugin-kit";
import type {
  ChangedFile,
  ExplainedStage,
  ManifestRequest,
  ManifestResponse,
  RenderExplanation,
} from "@capstan/wire";
import type { ManifestGenerator } from "./generate-manifests.ts";
import { isPipelinePlugin } from "./pipeline/pipelines.ts";
import type { StageRun } from "./pipeline/run-pipeline.ts";
import { maskMarked, maskValues } from "./run/mask-values.ts";
import { isJudged, markTexts } from "./run/unsaid-secrets.ts";
import type { FileChange } from "./transfer/overlay-tree.ts";

/** Texts beyond this are not shown. */
const maxTextBytes = 256 * 1024;

/** Renders as always, and then asks the stages for what they have just kept. */
export async function explainRender(
  generator: ManifestGenerator,
  request: ManifestRequest,
  signal: AbortSignal,
): Promise<RenderExplanation> {
  const response = await generator.generate(request, signal);
  const { plugin, context } = await generator.open(request, signal);
  const { revision, sourceType, timings } = response;
  const answer = { revision, sourceType, plugin: plugin.name, timings };
  if (!isPipelinePlugin(plugin)) return { ...answer, stages: [onlyStage(plugin, response, request)] };
  const refuse = () =>
    Promise.reject(
      new CapstanError({ code: "UNAVAILABLE", what: "credentials", problem: "nothing is rendered here" }),
    );
  const runs = await plugin.run(context, {
    signal,
    refresh: "normal",
    credentials: refuse,
    chart: refuse,
    chartLogin: refuse,
    repositoryTree: refuse,
    file: refuse,
    note: noNote,
  });
  const open = runs.filter(({ stage }) => !stage.sensitive).at(-1)?.manifests ?? [];
  const stages = runs.map((run) =>
    explainStage(run, { response, open: open.map(({ manifest }) => manifest) }),
  );
  return { ...answer, stages: await Promise.all(stages) };
}

function onlyStage(plugin: Plugin, response: ManifestResponse, { source }: ManifestRequest): ExplainedStage {
  const manifests = response.manifests.map(({ manifest }) => manifest);
  const declared = plugin.sensitive === true;
  const sensitive = declared || (isJudged(plugin) && response.validForMs !== undefined);
  return {
    name: plugin.name,
    plugin: plugin.name,
    shapes: shapesOf(plugin),
    cache: response.cache,
    ms: response.timings.stages[0]?.ms ?? 0,
    sensitive,
    files: [],
    manifests: declared ? maskValues(manifests, []) : maskMarked(response.manifests),
    commands: response.commands,
    announced: plugin.parameters ?? [],
    parameters: source.plugin?.parameters ?? [],
    env: (source.plugin?.env ?? []).map(({ name, value }) => ({ name, value })),
  };
}

async function explainStage(
  run: StageRun,
  { response, open }: { response: ManifestResponse; open: readonly Manifest[] },
): Promise<ExplainedStage> {
  const { name, plugin, values } = run.stage;
  const sensitive = run.stage.sensitive || run.unsaid.length > 0;
  const ran = response.timings.stages.find((one) => one.name === name)?.ms ?? 0;
  const files = run.changes.map((change) => describeChange(change, run.tree, sensitive));
  return {
    name,
    plugin: plugin.name,
    shapes: shapesOf(plugin),
    cache: ran > 0 ? "miss" : "hit",
    ms: run.ms,
    sensitive,
    files: await Promise.all(files),
    manifests: shown(run, open),
    commands: run.commands,
    announced: plugin.parameters ?? [],
    parameters: values.parameters,
    env: values.env,
  };
}

/** Marked before they are masked: what a Secret held may stand in what had been open before. */
function shown({ stage, manifests, unsaid }: StageRun, open: readonly Manifest[]): Manifest[] {
  const marked = markTexts(manifests, unsaid);
  if (!stage.sensitive) return maskMarked(marked);
  return maskValues(maskMarked(marked), open);
}

async function describeChange(
  { path, data }: FileChange,
  tree: SourceTree,
  sensitive: boolean,
): Promise<ChangedFile> {
  const entry = await tree.entry(path);
  const change = data === undefined ? "removed" : entry ? "changed" : "added";
  if (sensitive) return { path, change };
  const isShort = entry?.kind === "file" && (await tree.size(entry)) <= maxTextBytes;
  const before = textOf(isShort ? await tree.read(entry) : undefined);
  const after = textOf(data);
  return {
    path,
    change,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
}

function textOf(data: Buffer | undefined): string | undefined {
  const isText = data !== undefined && data.length <= maxTextBytes && !data.includes(0);
  return isText ? data.toString() : undefined;
}

function shapesOf(plugin: Plugin): ExplainedStage["shapes"] {
  return (["prepare", "generate", "transform"] as const).filter((shape) => plugin[shape] !== undefined);
}

function noNote(): void {
  // What had to be told was told when the stages ran for the application.
}
