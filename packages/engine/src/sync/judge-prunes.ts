import {
  type Application,
  annotationKeys,
  formatKey,
  keyText,
  objectSyncOptions,
  type RemovalBudget,
  type ResourceKey,
  type SyncOptions,
} from "@capstan/model";
import type { ComparedResource } from "../compare/compare-resources.ts";
import { type DigestOf, judgeRemoval, type RemovalVerdict } from "../consent/judge-removal.ts";

export interface PrunesInput {
  app: Application;
  /** Everything that was compared, of whatever is pruned. */
  resources: readonly ComparedResource[];
  /** What would be pruned. */
  prunes: readonly ResourceKey[];
  budget: RemovalBudget;
  nowMs: number;
  digestOf: DigestOf;
}

/** Decides over the prunes of one sync. Objects that are in the cluster count, hooks do not. */
export function judgePrunes(input: PrunesInput): RemovalVerdict {
  const { app, resources, prunes, budget, nowMs } = input;
  const { name, namespace, annotations } = app.metadata;
  return judgeRemoval({
    removed: prunes.map(formatKey),
    total: resources.filter(({ live, status }) => live !== undefined && status.hook !== true).length,
    budget,
    allowance: { key: annotationKeys.pruneAllowed, text: annotations?.[annotationKeys.pruneAllowed] },
    nowMs,
    digest: () => digestOfDesired(input),
    words: {
      things: "objects",
      other: "another state of git or of the cluster",
      removing: "pruning",
      why: "are not in git any more, and one sync may prune",
      command: `capstan app allow-prune ${namespace === undefined ? name : `${namespace}/${name}`}`,
    },
  });
}

/** What a sync with prune would prune of all that was compared. */
export function prunable(resources: readonly ComparedResource[], options: SyncOptions): ResourceKey[] {
  return resources
    .filter(
      ({ requiresPruning, live }) =>
        requiresPruning && objectSyncOptions(options, live).prune !== "forbidden",
    )
    .map(({ key }) => key);
}

/** Of the application, where it deploys to, and the names of what git wants there. */
function digestOfDesired({ app: { metadata, spec }, resources, digestOf }: PrunesInput): string {
  const { server = "", name = "" } = spec.destination;
  const wanted = resources.filter(({ target }) => target !== undefined).map(({ key }) => keyText(key));
  const about = [metadata.namespace ?? "", metadata.name, server, name, ...wanted.sort()];
  return digestOf(JSON.stringify(about));
}
