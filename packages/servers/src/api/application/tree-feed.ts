import type { Clock } from "@capstan/flow";
import type { Cluster, LiveChange, LiveState } from "@capstan/kube";
import {
  type Application,
  type ApplicationTree,
  instanceName,
  isCapstanError,
  keyText,
  type Manifest,
  projectOf,
} from "@capstan/model";
import { changesOrphans } from "@capstan/planning";
import { findRules } from "../access/find-project.ts";
import { CoalescingQueue } from "../coalescing-queue.ts";
import type { ApiContext } from "../context.ts";
import { openTenant } from "./open-tenant.ts";
import { isApplicationThere, orphansOf } from "./orphans.ts";
import { isApplication, keyOfApplication } from "./read-application.ts";
import { treeOf, withHosts } from "./resource-tree.ts";

/** Changes come in bursts: a tree is built at most this often, once for all who watch it. */
const settleMs = 50;

interface Watched {
  readonly app: Application;
  readonly cluster: Cluster;
  readonly readers: Set<CoalescingQueue<ApplicationTree>>;
  /** Aborted when this cluster is no longer the application's: settings closed it, or the destination changed. */
  readonly left: AbortSignal;
  tree: ApplicationTree;
  isDirty: boolean;
  stop(): void;
}

interface Needs extends Pick<ApiContext, "clusters" | "settings" | "scripts"> {
  live: LiveState;
  clock: Clock;
  controlNamespace: string;
  signal: AbortSignal;
}

export interface TreeFeed {
  watch(app: Application, options: { cluster: Cluster; signal: AbortSignal }): AsyncIterable<ApplicationTree>;
}

export function createTreeFeed(needs: Needs): TreeFeed {
  const watched = new Map<string, Watched>();

  function open(app: Application, cluster: Cluster): Watched {
    const id = keyText(keyOfApplication(app));
    const known = watched.get(id);
    if (known && known.cluster === cluster && !known.left.aborted) return known;
    const entry = follow(app, cluster, needs);
    const { stop } = entry;
    entry.stop = () => {
      stop();
      if (watched.get(id) === entry) watched.delete(id);
    };
    watched.set(id, entry);
    return entry;
  }

  return {
    async *watch(app, { cluster: first, signal }) {
      for (let cluster = first; ; cluster = await nextCluster(app, needs, signal)) {
        const entry = open(app, cluster);
        const queue = new CoalescingQueue<ApplicationTree>();
        queue.push("tree", entry.tree);
        entry.readers.add(queue);
        const ended = AbortSignal.any([signal, entry.left]);
        try {
          while (!entry.left.aborted) yield await queue.take(ended);
        } catch (error) {
          if (signal.aborted || !entry.left.aborted) throw error;
        } finally {
          entry.readers.delete(queue);
          if (entry.readers.size === 0) entry.stop();
        }
      }
    },
  };
}

/** The stream goes on with the cluster that is the application's now, or ends with what is wrong. */
async function nextCluster(
  app: Application,
  { clusters, live }: Pick<Needs, "clusters" | "live">,
  signal: AbortSignal,
): Promise<Cluster> {
  const cluster = clusters.forDestination(newest(app, live).spec.destination);
  await cluster.live.ready(signal);
  return cluster;
}

function newest(app: Application, live: LiveState): Application {
  const current = live.get(keyOfApplication(app));
  return isApplication(current) ? current : app;
}

/** A destination that nobody knows is no other cluster: the tree is empty until it is mended. */
function hasMoved(app: Application, cluster: Cluster, { clusters, live }: Needs): boolean {
  try {
    return clusters.forDestination(newest(app, live).spec.destination) !== cluster;
  } catch (error) {
    if (isCapstanError(error)) return false;
    throw error;
  }
}

function follow(app: Application, cluster: Cluster, context: Needs): Watched {
  const { live, clock, controlNamespace, signal } = context;
  const instance = instanceName(app, controlNamespace);
  const id = keyText(keyOfApplication(app));
  const build = (): ApplicationTree => permittedTree(context, newest(app, live), () => touch());
  const moved = new AbortController();
  const entry: Watched = {
    app,
    cluster,
    readers: new Set(),
    left: AbortSignal.any([cluster.closed, moved.signal]),
    tree: build(),
    isDirty: false,
    stop: () => undefined,
  };
  const rebuild = (): void => {
    entry.isDirty = false;
    if (hasMoved(app, cluster, context)) moved.abort();
    else entry.tree = build();
    for (const reader of entry.readers) reader.push("tree", entry.tree);
  };
  function touch(): void {
    if (entry.isDirty) return;
    entry.isDirty = true;
    clock.sleep(settleMs, signal).then(rebuild, () => undefined);
  }
  const touched = (change: LiveChange): void => {
    const concerns =
      change.apps.includes(instance) || keyText(change.key) === id || change.key.kind === "AppProject";
    if (concerns || concernsOrphans(context, newest(app, live), change)) touch();
  };
  const stops = [cluster.live.onChange(touched)];
  // The application itself stands in the control cluster, which may be another one.
  if (cluster.live !== live) stops.push(live.onChange(touched));
  entry.stop = () => {
    for (const stop of stops) stop();
  };
  return entry;
}

/** Whether the orphans that the application's tree shows may have become others, or shown otherwise. */
function concernsOrphans(context: Needs, app: Application, change: LiveChange): boolean {
  const { key, apps, previous, current } = change;
  // An application that goes leaves what it had to nobody.
  const comesOrGoes = isApplication(previous ?? current) && !(previous && current);
  if (key.namespace === "" || (key.namespace !== app.spec.destination.namespace && !comesOrGoes))
    return false;
  if (findRules(context, projectOf(app))?.spec.orphanedResources === undefined) return false;
  if (comesOrGoes) return true;
  const isOwned = apps.some((instance) => isApplicationThere(context, instance));
  return !isOwned || changesOrphans(change, isOwned);
}

/** Without its project or its cluster nothing of an application may be seen. */
function permittedTree(context: Needs, app: Application, whenKnown: () => void): ApplicationTree {
  const { controlNamespace, scripts, settings } = context;
  const { general } = settings.current;
  const asker = instanceName(app, controlNamespace);
  const healthOf = (live: Manifest) => scripts.health.now(asker, live, whenKnown);
  try {
    const cluster = openTenant(context, app);
    const orphans = orphansOf(context, app, cluster);
    const tree = treeOf(app, { cluster, controlNamespace, healthOf, ...general, orphans });
    return withHosts(tree, cluster, general);
  } catch (error) {
    if (isCapstanError(error)) return { nodes: [] };
    throw error;
  }
}
