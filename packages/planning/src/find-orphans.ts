import { isIgnoredOrphan } from "@capstan/engine";
import { equalJson } from "@capstan/formats";
import type { LiveChange, TenantCluster } from "@capstan/kube";
import { type Application, type AppProject, keyOf, keyText, type Manifest } from "@capstan/model";

interface OrphanInput {
  app: Application;
  project: AppProject;
  cluster: Pick<TenantCluster, "live">;
  /** Whether there is an Application of this instance name. */
  isApplication(instance: string): boolean;
  /** Texts of the keys that the application's own comparison is about: git may name what carries no tracking yet. */
  own: ReadonlySet<string>;
}

/**
 * Objects of the destination's namespace that nothing owns and no application has, as far as the project permits
 * them; none where the project does not ask for them (controller/appcontroller.go getResourceTree).
 */
export function findOrphans({ app, project, cluster, isApplication, own }: OrphanInput): Manifest[] {
  const { namespace } = app.spec.destination;
  if (!project.spec.orphanedResources || !namespace) return [];
  return cluster.live
    .unownedIn(namespace, isApplication)
    .filter((object) => {
      const key = keyOf(object);
      if (own.has(keyText(key)) || cluster.live.unreadable(key) !== undefined) return false;
      return !isIgnoredOrphan(project, key);
    })
    .sort((one, other) => (keyText(keyOf(one)) < keyText(keyOf(other)) ? -1 : 1));
}

/** The orphans and all that they own. */
export function countOrphans(roots: readonly Manifest[], { live }: Pick<TenantCluster, "live">): number {
  const seen = new Set(roots);
  for (const object of seen) for (const child of live.children(object.metadata.uid ?? "")) seen.add(child);
  return seen.size;
}

/**
 * Whether the orphans of the object's namespace may be others after a change: objects come and go, and what ties them
 * to an owner or an application changes. `isOwned`: an application that is there has the object.
 */
export function changesOrphans({ key, previous, current }: LiveChange, isOwned: boolean): boolean {
  if (key.namespace === "") return false;
  if (!previous || !current) return !isOwned;
  return !equalJson(tiesOf(previous), tiesOf(current));
}

function tiesOf({ metadata: { uid, labels, annotations, ownerReferences } }: Manifest): unknown {
  return [uid, labels, annotations, ownerReferences];
}
