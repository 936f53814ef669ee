import { setImmediate as nextTurn } from "node:timers/promises";
import { type Application, instanceName, isCapstanError, projectOf, type ResourceNode } from "@capstan/model";
import type { FoundResource, InOf, Routes } from "@capstan/wire";
import type { HandlerOf } from "../../call.ts";
import type { ApiContext } from "../context.ts";
import { pageToken, readPage } from "../paging/page-query.ts";
import type { ApplicationIndex } from "./application-index.ts";
import { placeBy } from "./application-orders.ts";
import { openTenant } from "./open-tenant.ts";
import { orphansOf } from "./orphans.ts";
import { treeOf } from "./resource-tree.ts";

type Needs = Pick<ApiContext, "live" | "settings" | "controlNamespace" | "clusters" | "scripts"> & {
  index: ApplicationIndex;
};
type Query = InOf<Routes["listResources"]>;

/** One call looks at no more applications, and ends after the one with which it has so many objects. */
const [mostApplications, mostObjects] = [300, 1_000];

/** As a tree shows them, application by application, each by the rules of its project. */
export function listResources(context: Needs): HandlerOf<"listResources"> {
  const placeOf = placeBy("name");
  return async (query, { user, signal }) => {
    const { limit: _limit, continue: _continue, ...question } = query;
    const page = readPage(query, { sorts: ["name"], question });
    const most = Math.min(page.limit || mostObjects, mostObjects);
    const maySee = context.index.maySee(user);
    const isWanted = filterOf(query);
    const items: FoundResource[] = [];
    let looked = 0;
    // A copy: the order changes while other work is let in between.
    const apps = [...context.index.sortedBy("name").from(page.after, false)];
    for (const app of apps) {
      if (!maySee(app) || (query.project?.length && !query.project.includes(projectOf(app)))) continue;
      for (const one of await objectsOf(context, app, signal)) if (isWanted(one)) items.push(one);
      looked += 1;
      const isFull = items.length >= most || looked >= mostApplications;
      if (isFull && app !== apps.at(-1))
        return { metadata: { continue: pageToken(page, placeOf(app), "") }, items };
      await nextTurn(undefined, { signal });
    }
    return { metadata: {}, items };
  };
}

/** Of one whose project or cluster is not there nothing is known; its own page says why. */
async function objectsOf(context: Needs, app: Application, signal: AbortSignal): Promise<FoundResource[]> {
  const { controlNamespace, scripts, settings } = context;
  try {
    const cluster = openTenant(context, app);
    await cluster.live.ready(signal);
    const { customLabels } = settings.current.general;
    const orphans = orphansOf(context, app, cluster);
    const tree = await scripts.health.judged(
      instanceName(app, controlNamespace),
      (healthOf) => treeOf(app, { cluster, controlNamespace, healthOf, customLabels, orphans }),
      signal,
    );
    const found = foundIn(app);
    return [
      ...(tree.nodes ?? []).map((node) => found(node, false)),
      ...(tree.orphanedNodes ?? []).map((node) => found(node, true)),
    ];
  } catch (error) {
    if (isCapstanError(error)) return [];
    throw error;
  }
}

function foundIn(app: Application): (node: ResourceNode, isOrphan: boolean) => FoundResource {
  const { name, namespace = "" } = app.metadata;
  const application = { namespace, name, project: projectOf(app) };
  const idOf = (one: { group?: string; kind?: string; namespace?: string; name?: string }) =>
    [one.group ?? "", one.kind, one.namespace ?? "", one.name].join("/");
  const statuses = new Map((app.status?.resources ?? []).map((one) => [idOf(one), one]));
  return (node, isOrphan) => {
    const status = isOrphan ? undefined : statuses.get(idOf(node));
    const health = node.health ?? status?.health;
    const [owner] = node.parentRefs ?? [];
    return {
      application,
      group: node.group ?? "",
      kind: node.kind,
      namespace: node.namespace ?? "",
      name: node.name,
      ...(health?.status && { health: health.status }),
      ...(health?.message && { message: health.message }),
      ...(status?.status && { sync: status.status }),
      ...(node.images?.length && { images: node.images }),
      ...(owner && { owner: `${owner.kind} ${owner.name}` }),
      ...(isOrphan && { isOrphan: true }),
    };
  };
}

function filterOf({ search, kind, health, sync, image, orphaned }: Query): (one: FoundResource) => boolean {
  const [name, part] = [search, image].map((text) => text?.toLowerCase() ?? "");
  const isOf = (wanted: readonly string[] | undefined, value: string | undefined) =>
    !wanted?.length || (value !== undefined && wanted.includes(value));
  return (one) =>
    one.name.toLowerCase().includes(name ?? "") &&
    isOf(kind, one.kind) &&
    isOf(health, one.health) &&
    isOf(sync, one.sync) &&
    (!part || (one.images ?? []).some((held) => held.toLowerCase().includes(part))) &&
    (orphaned === undefined || orphaned === (one.isOrphan ?? false));
}
