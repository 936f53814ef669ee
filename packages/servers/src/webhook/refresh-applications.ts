import type { Clock } from "@capstan/flow";
import { type Application, type ApplicationSet, annotationKeys, projectOf, sourcesOf } from "@capstan/model";
import { followOn } from "../follow-on.ts";
import type { AffectedApplications } from "./match-applications.ts";

export interface RefreshNeeds {
  /** Merge-patches the annotations of one application or set. */
  annotate(
    app: Application | ApplicationSet,
    annotations: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<void>;
  clock: Clock;
  log: { warn(facts: object, message: string): void };
  signal: AbortSignal;
}

const atOnce = 20;

/**
 * Those that are asked to look at the repository, and those that need not be: of applications that read none of the
 * changed files and follow the same, one looks, and the controller tells the others what it saw.
 */
export function whoLooks({ first, rest }: AffectedApplications): {
  asked: readonly Application[];
  told: readonly Application[];
} {
  const seen = new Set(first.map(followed));
  const asked = [...first];
  const told: Application[] = [];
  for (const app of rest) {
    const what = followed(app);
    (seen.has(what) ? told : asked).push(app);
    seen.add(what);
  }
  return { asked, told };
}

/** As the controller has it (newest-revisions.ts). */
export function followed(app: Application): string {
  const sources = sourcesOf(app).map(({ repoURL, chart, targetRevision }) => [
    repoURL,
    chart,
    targetRevision,
  ]);
  return JSON.stringify([projectOf(app), sources]);
}

/** Asks the controllers to compare again. An application that cannot be asked is said and does not stop others. */
export async function refreshApplications(apps: readonly Application[], needs: RefreshNeeds): Promise<void> {
  await annotateAll(apps, needs, () => ({
    [annotationKeys.refresh]: "normal",
    [annotationKeys.refreshTimestamp]: new Date(needs.clock.now()).toISOString(),
    ...followOn(),
  }));
}

/** Asks the image updater to look at once. */
export async function refreshImages(apps: readonly Application[], needs: RefreshNeeds): Promise<void> {
  await annotateAll(apps, needs, () => ({ [annotationKeys.imageUpdates]: "now" }));
}

type Annotations = Readonly<Record<string, string>>;

async function annotateAll(
  apps: readonly Application[],
  needs: RefreshNeeds,
  annotations: () => Annotations,
): Promise<void> {
  const waiting = apps.values();
  const work = async () => {
    for (const app of waiting) {
      needs.signal.throwIfAborted();
      await annotateOne(app, annotations(), needs);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, apps.length) }, work));
}

/** Asks for the generators of sets anew (applicationset/webhook). */
export async function refreshSets(sets: readonly ApplicationSet[], needs: RefreshNeeds): Promise<void> {
  const { annotate, signal } = needs;
  for (const set of sets) {
    signal.throwIfAborted();
    await annotate(set, { [annotationKeys.applicationSetRefresh]: "true", ...followOn() }, signal).catch(
      (error: unknown) => {
        signal.throwIfAborted();
        const { name, namespace } = set.metadata;
        needs.log.warn(
          { applicationSet: name, namespace, err: error },
          "cannot ask for a refresh after a push",
        );
      },
    );
  }
}

async function annotateOne(
  app: Application,
  annotations: Annotations,
  { annotate, log, signal }: RefreshNeeds,
): Promise<void> {
  try {
    await annotate(app, annotations, signal);
  } catch (error) {
    signal.throwIfAborted();
    const { name, namespace } = app.metadata;
    log.warn({ application: name, namespace, err: error }, "cannot ask for a refresh after a push");
  }
}
