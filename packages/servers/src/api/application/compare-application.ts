import type { ComparedBy } from "@capstan/engine";
import { equalJson } from "@capstan/formats";
import type { TenantCluster } from "@capstan/kube";
import {
  type Application,
  comparedRevisions,
  keyOf,
  type Manifest,
  projectOf,
  sourcesOf,
} from "@capstan/model";
import {
  broughtManifests,
  ComparisonMemory,
  compareLive,
  type Desired,
  type LiveComparison,
} from "@capstan/planning";
import { requireRules } from "../access/find-project.ts";
import type { ApiContext } from "../context.ts";
import {
  type ApplicationSecrets,
  hiddenAnnotations,
  secretsOf,
  secretsOfApplication,
} from "./application-secrets.ts";
import { isOwned } from "./find-resource.ts";
import { openTenant } from "./open-tenant.ts";
import { type RenderNeeds, type RenderOptions, renderApplication } from "./render-application.ts";

export type CompareNeeds = RenderNeeds & Pick<ApiContext, "kube" | "clock" | "scripts">;

export interface ComparedApplication {
  cluster: TenantCluster;
  desired: Desired;
  comparison: LiveComparison;
  secrets: ApplicationSecrets;
  /** Whether this caller may know of a live object that the sources name. */
  mayShow: ((live: Manifest) => boolean) | undefined;
}

/** What git says beside what the cluster holds, as the controller compares it. */
export async function compareApplication(
  context: CompareNeeds,
  app: Application,
  options: RenderOptions & { by?: ComparedBy },
): Promise<ComparedApplication> {
  const { signal, by } = options;
  const cluster = openTenant(context, app);
  const [desired, deployed] = await Promise.all([
    renderApplication(context, app, options),
    isOfLastComparison(app, options) ? undefined : secretsOfApplication(context, app, signal),
    cluster.live.ready(signal),
    cluster.client.discovery.resources(signal),
  ]);
  // Whoever brings manifests sees no more of the cluster than what the application has to do with.
  const mayShow =
    options.manifests &&
    ((object: Manifest) =>
      deployed?.names(keyOf(object)) === true || isOwned(context, app, { cluster, object }));
  const memory = new ComparisonMemory();
  const comparison = await compareLive(context, { app, cluster, desired, memory, mayShow, by }, signal);
  const own = secretsOf(app, desired.manifests, hiddenAnnotations(context));
  return { cluster, desired, comparison, secrets: deployed ? bothHidden(own, deployed) : own, mayShow };
}

/** What the application was compared with last: its sources, or what a person brought with the last sync. */
export function asLastCompared(
  context: CompareNeeds,
  app: Application,
): Pick<RenderOptions, "manifests" | "revisions"> {
  const brought = broughtManifests(context, { app, project: requireRules(context, projectOf(app)) });
  return brought ?? { revisions: comparedRevisions(app) };
}

/** The live objects are made from what was compared last; another revision may keep secret something else. */
function isOfLastComparison(app: Application, { manifests, sources, revisions }: RenderOptions): boolean {
  const isOwn = manifests === undefined && (sources === undefined || equalJson(sources, sourcesOf(app)));
  return isOwn && equalJson(revisions ?? [], comparedRevisions(app));
}

function bothHidden(one: ApplicationSecrets, other: ApplicationSecrets): ApplicationSecrets {
  return {
    names: (key) => one.names(key) || other.names(key),
    hide: (versions, live) => other.hide(one.hide(versions, live), live),
  };
}
