import {
  groupOf,
  type HealthStatus,
  type Manifest,
  type ResourceNode,
  type ResourceRef,
  versionOf,
} from "@capstan/model";
import { imagesOf } from "./images.ts";
import { networkingOf } from "./networking.ts";
import { infoOf } from "./node-info.ts";

export function refOf(manifest: Manifest): ResourceRef {
  const { namespace, name, uid } = manifest.metadata;
  const group = groupOf(manifest.apiVersion);
  return {
    ...(group === "" ? {} : { group }),
    version: versionOf(manifest.apiVersion),
    kind: manifest.kind,
    ...(namespace === undefined ? {} : { namespace }),
    name: name ?? "",
    ...(uid === undefined ? {} : { uid }),
  };
}

/** One object as the tree shows it (controller/cache/info.go populateNodeInfo). */
export function resourceNode(
  manifest: Manifest,
  {
    parents,
    health,
    customLabels,
  }: {
    parents: readonly ResourceRef[];
    health: HealthStatus | undefined;
    customLabels?: readonly string[] | undefined;
  },
): ResourceNode {
  const { resourceVersion, creationTimestamp } = manifest.metadata;
  const images = manifest.kind === "Pod" ? imagesOf(manifest) : [];
  const networkingInfo = networkingOf(manifest);
  const info = infoOf(manifest, customLabels);
  return {
    ...refOf(manifest),
    ...(parents.length === 0 ? {} : { parentRefs: [...parents] }),
    ...(info.length === 0 ? {} : { info }),
    ...(networkingInfo === undefined ? {} : { networkingInfo }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(images.length === 0 ? {} : { images }),
    ...(health === undefined ? {} : { health }),
    ...(creationTimestamp === undefined ? {} : { createdAt: creationTimestamp }),
  };
}
