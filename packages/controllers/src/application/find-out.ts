import type { ComparedRun, JudgedRun, LoadedRun } from "./application-run.ts";
import type { DueCompare } from "./comparison-schedule.ts";
import { compareWithLive, keptComparison } from "./steps/compare-with-live.ts";
import { decideOperation } from "./steps/decide-operation.ts";
import { draftHealth } from "./steps/draft-health.ts";
import { holdPrunes } from "./steps/hold-prunes.ts";
import { renderSources } from "./steps/render-sources.ts";
import { sayMoved } from "./steps/say-moved.ts";
import { sayNotHonoured } from "./steps/say-not-honoured.ts";
import { sayOrphans } from "./steps/say-orphans.ts";
import { timed } from "./timed.ts";

/* What a look at an application finds, whoever looks. Nothing is changed by it but the run's draft. */

/** What git says and what lives, side by side. */
export async function findOut(
  loaded: LoadedRun,
  compare: DueCompare,
  signal: AbortSignal,
): Promise<ComparedRun> {
  const { run } = loaded;
  const rendered = await timed(run, "render", () => renderSources(loaded, compare, signal));
  return keptComparison(rendered) ?? timed(run, "compare", () => compareWithLive(rendered, signal));
}

/** What is to be said of it and, where a sync is due, what is to be done. */
export function concludeFrom(compared: ComparedRun): void {
  decideOperation(sayFound(compared));
}

/** What is to be said of it. */
export function sayFound(compared: ComparedRun): JudgedRun {
  sayMoved(compared);
  if (!compared.run.isAsCompared) {
    sayNotHonoured(compared);
    draftHealth(compared);
    sayOrphans(compared);
  }
  return holdPrunes(compared);
}
