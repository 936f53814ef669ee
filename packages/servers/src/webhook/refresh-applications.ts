import { type Application, annotationKeys, type Clock } from "@capstan/model";
import type { AffectedApplications } from "./match-applications.ts";

export interface RefreshNeeds {
  /** Merge-patches the annotations of one application. */
  annotate(
    app: Application,
    annotations: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<void>;
  clock: Clock;
  log: { warn(facts: object, message: string): void };
  signal: AbortSignal;
}

const atOnce = 20;
/** The applications that read the change go first and alone. */
const restAfterMs = 250;

/** Asks the controllers to compare again. An application that cannot be asked is said and does not stop others. */
export async function refreshApplications(
  affected: AffectedApplications,
  needs: RefreshNeeds,
): Promise<void> {
  await annotateAll(affected.first, needs);
  if (affected.rest.length === 0) return;
  if (affected.first.length > 0) await needs.clock.sleep(restAfterMs, needs.signal);
  await annotateAll(affected.rest, needs);
}

async function annotateAll(apps: readonly Application[], needs: RefreshNeeds): Promise<void> {
  const waiting = apps.values();
  const work = async () => {
    for (const app of waiting) {
      needs.signal.throwIfAborted();
      await annotateOne(app, needs);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, apps.length) }, work));
}

async function annotateOne(app: Application, { annotate, clock, log, signal }: RefreshNeeds): Promise<void> {
  const annotations = {
    [annotationKeys.refresh]: "normal",
    [annotationKeys.refreshTimestamp]: new Date(clock.now()).toISOString(),
  };
  try {
    await annotate(app, annotations, signal);
  } catch (error) {
    signal.throwIfAborted();
    const { name, namespace } = app.metadata;
    log.warn({ application: name, namespace, err: error }, "cannot ask for a refresh after a push");
  }
}
