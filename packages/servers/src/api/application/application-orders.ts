import {
  type Application,
  destinationCluster,
  healthRank,
  problemOf,
  projectOf,
  sourcesOf,
  stateRank,
  syncRank,
} from "@capstan/model";
import type { Place } from "../paging/kept-order.ts";
import { keyText } from "../paging/page-query.ts";

/** What stands between two texts of a key, before everything that a name may hold. */
const gap = "\u0000";

/** What applications are sorted by, and their keys; worst states and latest syncs come first. */
const keys = {
  name: ({ metadata }) => metadata.name,
  namespace: ({ metadata }) => metadata.namespace ?? "",
  project: (app) => projectOf(app),
  state: (app) =>
    stateRank({
      health: app.status?.health?.status,
      sync: app.status?.sync?.status,
      problem: problemOf(app),
    }),
  health: ({ status }) => healthRank(status?.health?.status),
  sync: ({ status }) => syncRank(status?.sync?.status),
  destination: (app) => `${destinationCluster(app)}${gap}${app.spec.destination.namespace ?? ""}`,
  repo: (app) => sourcesOf(app)[0]?.repoURL ?? "",
  created: ({ metadata }) => -timeOf(metadata.creationTimestamp),
  changed: ({ metadata, status }) => {
    const operation = status?.operationState;
    return -timeOf(operation?.finishedAt ?? operation?.startedAt ?? metadata.creationTimestamp);
  },
} as const satisfies Record<string, (app: Application) => string | number>;

type ApplicationSort = keyof typeof keys;

/** The first is the default: Argo CD's. */
export const applicationSorts: readonly string[] = Object.keys(keys);

export function placeBy(sort: string): (app: Application) => Place {
  const keyOf = keys[isSort(sort) ? sort : "name"];
  return (app) => {
    const key = keyOf(app);
    const { namespace, name } = app.metadata;
    return { key: typeof key === "string" ? keyText(key) : key, id: `${namespace ?? ""}/${name}` };
  };
}

function isSort(sort: string): sort is ApplicationSort {
  return Object.hasOwn(keys, sort);
}

/** Milliseconds since the epoch; 0 without a time that can be read. */
function timeOf(text: string | undefined): number {
  const time = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? 0 : time;
}
