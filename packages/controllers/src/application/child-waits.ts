import { childHealth, trackedInstance } from "@capstan/engine";
import { argoApiVersion, type HealthStatus, readInstanceName } from "@capstan/model";
import type { HealthOf } from "@capstan/planning";
import { storeKey } from "../loop/object-store.ts";
import type { LoadedRun } from "./application-run.ts";
import { applicationScope } from "./application-scope.ts";
import { findProject } from "./find-project.ts";

/**
 * Health as the waves of a sync see it: child Applications have one where no script of the settings says so, and only
 * here. An application that waited for one that waits for it would have no end: neither itself nor those that deploy
 * it count.
 */
export function waveHealth(loaded: LoadedRun, healthOf: HealthOf): HealthOf {
  const { run, cluster } = loaded;
  const { clusters, scripts, settings, controlNamespace, clock } = run.needs;
  if (cluster.live !== clusters.ownLive()) return healthOf;
  const scope = applicationScope(settings.current, controlNamespace);
  return (live): HealthStatus | undefined => {
    const known = healthOf(live);
    const isChild = live.apiVersion === argoApiVersion && scope.is(live);
    if (known !== undefined || !isChild || scripts.health.isScripted(live)) return known;
    if (ancestorsOf(loaded).has(storeKey(live))) return undefined;
    const project = findProject(run.needs, live.spec.project || "default");
    return childHealth({ child: live, project, nowMs: clock.now() });
  };
}

/** An application deploys another one that deploys a third: nobody means more of them. */
const mostAncestors = 100;

/** The application itself, the one whose object it is, the one whose object that is. */
function ancestorsOf({ run: { needs, key } }: LoadedRun): ReadonlySet<string> {
  const found = new Set<string>();
  const { tracking } = needs.settings.current.general;
  for (let at: string | undefined = key; at !== undefined && !found.has(at) && found.size < mostAncestors; ) {
    found.add(at);
    const app = needs.apps.get(at);
    const instance = app && trackedInstance(app, tracking);
    const owner = instance ? readInstanceName(instance, needs.controlNamespace) : undefined;
    at = owner && `${owner.namespace}/${owner.name}`;
  }
  return found;
}
