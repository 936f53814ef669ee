import { matchesGlob } from "@capstan/formats";
import type { AppProject, ResourceKey } from "@capstan/model";

/**
 * Objects that every namespace holds, and those that the project ignores, are no orphans
 * (controller/appcontroller.go isKnownOrphanedResourceExclusion). An entry without a kind or a name means any; one
 * without a group means the core group.
 */
export function isIgnoredOrphan({ spec }: AppProject, key: ResourceKey): boolean {
  return (
    isOfEveryNamespace(key) || (spec.orphanedResources?.ignore ?? []).some((entry) => matches(entry, key))
  );
}

function isOfEveryNamespace({ group, kind, namespace, name }: ResourceKey): boolean {
  if (group !== "") return false;
  if (kind === "Service") return namespace === "default" && name === "kubernetes";
  return (
    (kind === "ServiceAccount" && name === "default") || (kind === "ConfigMap" && name === "kube-root-ca.crt")
  );
}

interface Ignored {
  group?: string;
  kind?: string;
  name?: string;
}

function matches({ group = "", kind = "", name = "" }: Ignored, key: ResourceKey): boolean {
  return (
    matchesGlob(group, key.group) &&
    (kind === "" || matchesGlob(kind, key.kind)) &&
    (name === "" || matchesGlob(name, key.name))
  );
}
