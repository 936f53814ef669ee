import type { ResourceKey } from "./resource-key.ts";

/** `<app>:<group>/<kind>:<ns>/<name>` (util/argo/resource_tracking.go). */
export function formatTrackingId(instance: string, { group, kind, namespace, name }: ResourceKey): string {
  return `${instance}:${group}/${kind}:${namespace}/${name}`;
}

export interface TrackingId {
  instance: string;
  key: ResourceKey;
}

export function parseTrackingId(text: string): TrackingId | undefined {
  const [instance, type, place, ...rest] = text.split(":");
  if (instance === undefined || type === undefined || place === undefined) return undefined;
  const [group, kind, ...moreType] = type.split("/");
  // Names of RBAC objects may contain colons, so that what follows the third one belongs to the name.
  const [namespace, name, ...morePlace] = [place, ...rest].join(":").split("/");
  if (group === undefined || kind === undefined || moreType.length > 0) return undefined;
  if (namespace === undefined || name === undefined || morePlace.length > 0) return undefined;
  return { instance, key: { group, kind, namespace, name } };
}
