import { equalJson } from "@capstan/formats";
import { instanceName, messageOf } from "@capstan/model";
import type { LoadedRun } from "./application-run.ts";
import { concludeFrom, findOut, sayFound } from "./find-out.ts";

/** A cluster's controllers note what was applied within milliseconds, and so long that is waited for. */
const settleMs = 100;
const settleStepMs = 20;

/**
 * What a sync has made of the application is found out in the run in which it succeeded, and both are written at once:
 * nobody reads of a success beside the health of before it, nor that an object is on its way which its controller has
 * only not seen yet. False where that takes a look of its own.
 */
export async function compareResult(loaded: LoadedRun, signal: AbortSignal): Promise<boolean> {
  const { run } = loaded;
  const { memory, needs, app } = run;
  // What should be there is known, or it would have to be asked for first.
  if (!memory.desired || !memory.comparison || app.metadata.deletionTimestamp !== undefined) return false;
  using changes = new OwnChanges(loaded);
  try {
    let isInSync = await compare(loaded, signal);
    for (let ms = 0; ms < settleMs && isOnItsWay(loaded); ms += settleStepMs) {
      await needs.clock.sleep(settleStepMs, signal);
      if (changes.taken()) isInSync = await compare(loaded, signal);
    }
    return isInSync;
  } catch (error) {
    signal.throwIfAborted();
    needs.log.debug(
      { app: run.key, problem: messageOf(error) },
      "the result of a sync was not compared at once",
    );
    return false;
  }
}

async function compare(loaded: LoadedRun, signal: AbortSignal): Promise<boolean> {
  const { memory, needs } = loaded.run;
  memory.schedule.comparesLive(needs.clock.now());
  const compared = await findOut(loaded, { level: 1, hard: false, reason: "a sync has ended" }, signal);
  const isInSync = compared.comparison.status === "Synced";
  // Whoever waits for the end of this one sees it before another one begins.
  if (isInSync) concludeFrom(compared);
  else sayFound(compared);
  return isInSync;
}

function isOnItsWay({ run }: LoadedRun): boolean {
  return run.draft.status.health?.status === "Progressing";
}

/** Whether one of the application's own objects was said to be something else: what it is wanted to be is known. */
class OwnChanges implements Disposable {
  readonly #end: () => void;
  #seen = false;

  constructor({ run, cluster }: LoadedRun) {
    const own = instanceName(run.app, run.needs.controlNamespace);
    this.#end = cluster.live.onChange(({ managed, apps, previous, current }) => {
      if (managed && apps.includes(own) && !equalJson(previous?.status, current?.status)) this.#seen = true;
    });
  }

  /** Since it was asked last. */
  taken(): boolean {
    const seen = this.#seen;
    this.#seen = false;
    return seen;
  }

  [Symbol.dispose](): void {
    this.#end();
  }
}
