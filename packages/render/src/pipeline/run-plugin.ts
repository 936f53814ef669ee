import { deadline } from "@capstan/flow";
import { CapstanError } from "@capstan/model";
import type { Generated, Observed, Plugin } from "@capstan/plugin-kit";
import type { Rendering } from "../cache/manifest-cache.ts";
import { digestManifests } from "../run/digest-manifests.ts";
import { markSecrets } from "../run/mask-values.ts";
import type { RunOptions, RunWork } from "../run/running-stage.ts";
import { markTexts } from "../run/unsaid-secrets.ts";
import { earliestEnd, runStage } from "./run-stage.ts";

export interface Run {
  rendering: Rendering;
  bytes: number;
  /** It holds secrets that the plugin had not said: it is kept as those of a sensitive one. */
  isSensitive: boolean;
  /** Spent waiting in a queue of the plugin's own. */
  queueMs: number;
  /** Spent on bringing the inputs to where the plugin reads them. */
  transferMs: number;
  ms: number;
  observed?: Observed;
  stages?: Generated["stages"];
}

/** Alone it would make an empty render of every source. */
function requireGenerate({ name, generate, transform }: Plugin): void {
  if (generate) return;
  const does = transform ? "changes manifests that others make" : "changes files for others";
  const problem = `plugin ${name} makes no manifests, it ${does}: use it as a stage of a pipeline (capstan.yaml)`;
  throw new CapstanError({ code: "INVALID_ARGUMENT", field: "source.plugin.name", problem });
}

/** One plugin on one source as the whole of a render. */
export async function runPlugin(
  plugin: Plugin,
  work: RunWork,
  options: RunOptions & { signal: AbortSignal },
): Promise<Run> {
  requireGenerate(plugin);
  const { clock, limits } = options;
  const ms = limits.runTimeoutMs;
  const late = () =>
    new CapstanError({ code: "TIMED_OUT", what: `rendering by ${plugin.name}`, afterMs: ms });
  using limited = deadline({ clock, signal: options.signal, ms, late });
  const started = clock.now();
  const {
    manifests,
    made,
    transferMs: laidOutMs,
    unsaid,
  } = await runStage(
    { ...work, plugin, before: [], keepsChanges: false },
    { ...options, signal: limited.signal },
  );
  // A pipeline has told by its stages what is none.
  const isMarked = !plugin.sensitive || made[0]?.stages !== undefined;
  const marked = isMarked ? markTexts(manifests, unsaid) : markSecrets(manifests, []);
  const { rendered, bytes } = digestManifests(marked);
  const transferMs = laidOutMs + spentOn("transfer", made);
  const queueMs = spentOn("queue", made);
  // Of two steps neither alone tells all that was read.
  const observed = made.length === 1 ? made[0]?.observed : undefined;
  return {
    rendering: {
      manifests: rendered,
      commands: made.flatMap(({ commands }) => commands),
      ...earliestEnd(made),
    },
    bytes,
    isSensitive: plugin.sensitive === true || unsaid.length > 0,
    queueMs,
    transferMs,
    ms: clock.now() - started - transferMs - queueMs,
    ...(observed ? { observed } : {}),
    ...(made[0]?.stages ? { stages: made[0].stages } : {}),
  };
}

function spentOn(what: string, made: readonly Generated[]): number {
  const timings = made.flatMap((one) => one.timings ?? []).filter(({ name }) => name === what);
  return timings.reduce((sum, { ms }) => sum + ms, 0);
}
