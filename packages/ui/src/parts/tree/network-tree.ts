import type { ResourceRef } from "@capstan/model";
import {
  bundleFrom,
  bundleNode,
  type DisplayNode,
  isCalm,
  plainNode,
  podsNode,
  rootNode,
} from "./display-tree.ts";
import { flatten, type TreeItem, type TreeRoot } from "./tree-items.ts";

/**
 * Where requests come in and which Pods get them: entries with their Services, and these with what they select. Many
 * Services that nothing leads to are one node as long as they are well.
 */
export function networkTree(root: TreeRoot, flipped: ReadonlySet<string>): DisplayNode {
  const all = flatten(root.items);
  const services = all.filter(({ resource }) => resource.kind === "Service");
  const pods = all.filter(({ resource }) => resource.kind === "Pod");
  const reached = new Set<TreeItem>();
  const serviceNode = (service: TreeItem, above: string): DisplayNode => {
    reached.add(service);
    const id = `${above}/${service.id}`;
    const slices = service.children.filter(({ resource }) => resource.kind === "EndpointSlice");
    const selected = pods
      .filter((pod) => selects(service, pod))
      .sort((one, other) => one.worst - other.worst);
    return plainNode(service, id, [
      ...slices.map((slice) => plainNode(slice, `${id}/${slice.id}`, [])),
      ...(selected.length > 0 ? [podsNode(selected, id)] : []),
    ]);
  };
  const entries = all
    .filter(({ networking }) => (networking?.targetRefs?.length ?? 0) > 0)
    .map((entry) => {
      const targets = services.filter((service) =>
        entry.networking?.targetRefs?.some((ref) => isSame(ref, service)),
      );
      return plainNode(
        entry,
        entry.id,
        targets.map((service) => serviceNode(service, entry.id)),
      );
    });
  const alone = services.filter((service) => !reached.has(service));
  const calm = alone.filter(isCalm);
  const bundled = calm.length < bundleFrom ? [] : calm;
  const nodesOf = (some: readonly TreeItem[]) => some.map((service) => serviceNode(service, "network"));
  return rootNode([
    ...entries,
    ...nodesOf(alone.filter((service) => !bundled.includes(service))),
    ...(bundled.length > 0
      ? [bundleNode(bundled, "network/Service", flipped.has("network/Service") && nodesOf(bundled))]
      : []),
  ]);
}

function isSame(ref: ResourceRef, { resource }: TreeItem): boolean {
  return (
    ref.kind === resource.kind && ref.name === resource.name && (ref.namespace ?? "") === resource.namespace
  );
}

/** A Service without a selector selects nothing: its endpoints are somebody else's work. */
function selects({ networking, resource }: TreeItem, pod: TreeItem): boolean {
  const wanted = Object.entries(networking?.targetLabels ?? {});
  const labels = pod.networking?.labels ?? {};
  return (
    wanted.length > 0 &&
    pod.resource.namespace === resource.namespace &&
    wanted.every(([name, value]) => labels[name] === value)
  );
}
