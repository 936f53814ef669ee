import { hash } from "node:crypto";
import { tellStep, traced } from "@capstan/flow";
import { canonicalJson } from "@capstan/formats";
import { dumpYaml } from "@capstan/formats/yaml";
import {
  type Elsewhere,
  type GeneratedManifest,
  type Inputs,
  joinWithin,
  type RenderContext,
  type SourceTree,
  type Stage,
} from "@capstan/plugin-kit";
import { digestInputs, readInputs } from "../inputs/digest-inputs.ts";
import type { RunOptions } from "../run/running-stage.ts";
import type { TakeNote } from "../run/unsaid-secrets.ts";
import { type FileChange, OverlayTree } from "../transfer/overlay-tree.ts";
import { inStage, type OpenPipeline, type OpenStage, stageContext } from "./open-pipeline.ts";
import { earliestEnd, runStage } from "./run-stage.ts";
import type { StageCache, StageOutput } from "./stage-cache.ts";

/** What a stage came to. */
export interface StageRun {
  readonly stage: OpenStage;
  readonly cache: "hit" | "miss";
  /** Of the run that gave the output; 0 when that is not known any more. */
  readonly ms: number;
  /** The tree before the stage. */
  readonly tree: SourceTree;
  readonly changes: readonly FileChange[];
  /** All manifests after the stage. */
  readonly manifests: readonly GeneratedManifest[];
  readonly commands: readonly string[];
  /** Milliseconds since 1970 after which the stage is run again. */
  readonly until?: number;
  /** Texts of Secrets that this stage, or one before it, made without having said that it would. */
  readonly unsaid: readonly string[];
}

export interface PipelineParts {
  readonly cache: StageCache;
  readonly run: RunOptions;
}

/** What the pipeline's own stage has. */
export type Means = Elsewhere &
  Pick<Stage, "signal" | "refresh" | "credentials"> & { readonly note: TakeNote };

/** Manifests, and for which stages they are. */
interface Made {
  readonly scope: string | undefined;
  readonly manifests: readonly GeneratedManifest[];
}

interface StageWork {
  stage: OpenStage;
  context: RenderContext;
  inputs: Inputs;
  before: readonly GeneratedManifest[];
}

/** Runs the stages in order; one whose inputs are those of an earlier run is not run again. */
export async function runPipeline(
  pipeline: OpenPipeline,
  context: RenderContext,
  { parts, means }: { parts: PipelineParts; means: Means },
): Promise<StageRun[]> {
  const runs: StageRun[] = [];
  let tree = await pipelineTree(pipeline, context.tree);
  let made: readonly Made[] = [];
  for (const stage of pipeline.stages) {
    const { scope } = stage;
    const isGiven = (one: Made) => scope === undefined || one.scope === scope;
    try {
      const before = made.filter(isGiven).flatMap((one) => one.manifests);
      const work = await openWork(stage, context, { tree, before });
      const unsaidBefore = runs.at(-1)?.unsaid ?? [];
      const isTainted = stage.sensitive || unsaidBefore.length > 0;
      const step = { name: "stage", facts: { stage: stage.name, plugin: stage.plugin.name } };
      const { output, cache, ms } = await traced(step, () => obtain(work, parts, { ...means, isTainted }));
      const unsaid = [...unsaidBefore, ...(output.unsaid ?? [])];
      const kept = isReplacing(stage) ? made.filter((one) => !isGiven(one)) : made;
      made = [...kept, { scope, manifests: output.manifests }];
      const manifests = made.flatMap((one) => one.manifests);
      runs.push({ ...output, stage, cache, ms, tree, manifests, unsaid });
      tree = await OverlayTree.of(tree, output.changes);
    } catch (error) {
      throw means.signal.aborted ? error : inStage(error, stage.name);
    }
  }
  return runs;
}

/** Digests of all stages, as far as they can be told before one has run: nothing when a stage changes files. */
export async function digestStages(
  pipeline: OpenPipeline,
  context: RenderContext,
): Promise<readonly string[] | undefined> {
  if (pipeline.stages.some(({ plugin }) => plugin.prepare)) return undefined;
  const tree = await pipelineTree(pipeline, context.tree);
  const digests: string[] = [];
  for (const stage of pipeline.stages) {
    try {
      digests.push(await digestWork(await openWork(stage, context, { tree, before: [] })));
    } catch (error) {
      throw inStage(error, stage.name);
    }
  }
  return digests;
}

/** The pipeline's own file is hidden, so that a change of a later stage changes nothing for an earlier one. */
async function pipelineTree({ file }: OpenPipeline, tree: SourceTree): Promise<SourceTree> {
  return file === undefined ? tree : OverlayTree.of(tree, [{ path: file, kind: "file" }]);
}

async function openWork(
  stage: OpenStage,
  context: RenderContext,
  { tree, before }: { tree: SourceTree; before: readonly GeneratedManifest[] },
): Promise<StageWork> {
  const { path } = stageContext(context, stage, tree);
  const input = stage.spec.input === undefined ? undefined : joinWithin(path, stage.spec.input);
  const withInput =
    input === undefined
      ? tree
      : await OverlayTree.of(tree, [{ path: input, kind: "file", data: manifestFile(before) }]);
  const own = stageContext(context, stage, withInput);
  return { stage, context: own, inputs: await readInputs(stage.plugin, own), before };
}

/** Whether the manifests so far go into the stage, and what it gives takes their place. */
function isReplacing({ plugin, spec }: OpenStage): boolean {
  return plugin.transform !== undefined || spec.input !== undefined;
}

async function digestWork({ stage, context, inputs, before }: StageWork): Promise<string> {
  const transforms = stage.plugin.transform !== undefined;
  const manifests = transforms ? before.map(({ manifest }) => manifest) : [];
  const parts = [await digestInputs(stage.plugin, context, inputs), stage.spec.input ?? "", manifests];
  return hash("sha256", canonicalJson(parts), "hex");
}

async function obtain(
  work: StageWork,
  { cache, run }: PipelineParts,
  { isTainted, ...means }: Means & { isTainted: boolean },
): Promise<{ output: StageOutput; cache: "hit" | "miss"; ms: number }> {
  const key = await digestWork(work);
  const known = means.refresh === "hard" ? undefined : await cache.get(key);
  tellStep({ cache: known ? "hit" : "miss" });
  if (known) return { output: known, cache: "hit", ms: cache.tookMs(key) ?? 0 };
  const started = run.clock.now();
  const made = await runWork(work, run, means);
  const ms = run.clock.now() - started;
  const output = await cache.set(key, made, { sensitive: isTainted || made.unsaid !== undefined, ms });
  return { output, cache: "miss", ms };
}

async function runWork(work: StageWork, run: RunOptions, means: Means): Promise<StageOutput> {
  const { context, inputs } = work;
  const { plugin, spec } = work.stage;
  const { signal, ...allowed } = means;
  const before = spec.input === undefined ? work.before : [];
  const { changes, manifests, made, unsaid } = await runStage(
    { ...allowed, plugin, context, inputs, before, keepsChanges: true },
    { ...run, signal },
  );
  return {
    changes,
    manifests,
    commands: made.flatMap((one) => one.commands),
    ...earliestEnd(made),
    ...(unsaid.length === 0 ? {} : { unsaid }),
  };
}

function manifestFile(manifests: readonly GeneratedManifest[]): Buffer {
  return Buffer.from(manifests.map(({ manifest }) => `---\n${dumpYaml(manifest)}`).join(""));
}
