import type { Generated, GeneratedManifest, Plugin } from "@capstan/plugin-kit";
import { RunningStage, type RunOptions, type RunWork } from "../run/running-stage.ts";
import type { FileChange } from "../transfer/overlay-tree.ts";
import { collectChanges, readFileStates } from "./collect-changes.ts";

/** One run of a plugin: alone, or as a stage of a pipeline. */
export interface StageWork extends RunWork {
  plugin: Plugin;
  /** What goes into a transforming plugin beside its own manifests. */
  before: readonly GeneratedManifest[];
  /** Whether the files that it changes are wanted by later stages. */
  keepsChanges: boolean;
}

export interface StageResult {
  readonly changes: readonly FileChange[];
  readonly manifests: readonly GeneratedManifest[];
  /** What each of its steps gave beside manifests. */
  readonly made: readonly Generated[];
  /** Spent on laying out files. */
  readonly transferMs: number;
  /** Texts of Secrets that the plugin made and had not said that it would. */
  readonly unsaid: readonly string[];
}

/** Prepares, generates, transforms, whichever of these the plugin does. */
export async function runStage(
  work: StageWork,
  options: RunOptions & { signal: AbortSignal },
): Promise<StageResult> {
  const { plugin, context } = work;
  await using stage = new RunningStage(work, options);
  const changes = await prepare(work, stage, options.limits.maxOutputBytes);
  let manifests: readonly GeneratedManifest[] = [];
  const made: Generated[] = [];
  if (plugin.generate) {
    const generated = await plugin.generate(context, stage);
    manifests = generated.manifests;
    made.push(generated);
  }
  if (plugin.transform) {
    const transformed = await plugin.transform([...work.before, ...manifests], context, stage);
    manifests = transformed.manifests;
    made.push(transformed);
  }
  const { appName } = context;
  const { log, unsaid } = options;
  const judged = unsaid.judge({ plugin, appName, manifests, before: work.before, log, note: work.note });
  return { changes, manifests, made, transferMs: stage.transferMs, unsaid: judged };
}

async function prepare(
  { plugin, context, keepsChanges }: StageWork,
  stage: RunningStage,
  maxBytes: number,
): Promise<readonly FileChange[]> {
  if (!plugin.prepare) return [];
  if (!keepsChanges) {
    await plugin.prepare(context, stage);
    return [];
  }
  const { root } = await stage.workspace();
  const before = await readFileStates(root);
  await plugin.prepare(context, stage);
  return collectChanges(root, { before, tree: context.tree, maxBytes });
}

/** Several things are good until the first of them ends. */
export function earliestEnd(made: readonly { readonly until?: number }[]): { until?: number } {
  const ends = made.map(({ until }) => until).filter((until) => until !== undefined);
  return ends.length === 0 ? {} : { until: Math.min(...ends) };
}
