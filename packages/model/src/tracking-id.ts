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
  const beforeType = text.indexOf(":");
  const beforePlace = text.indexOf(":", beforeType + 1);
  if (beforeType < 0 || beforePlace < 0) return undefined;
  const inType = onlySlash(text, beforeType + 1, beforePlace);
  // Names of RBAC objects may contain colons, so that what follows the second one belongs to the name.
  const inPlace = onlySlash(text, beforePlace + 1, text.length);
  if (inType === undefined || inPlace === undefined) return undefined;
  return {
    instance: text.slice(0, beforeType),
    key: {
      group: text.slice(beforeType + 1, inType),
      kind: text.slice(inType + 1, beforePlace),
      namespace: text.slice(beforePlace + 1, inPlace),
      name: text.slice(inPlace + 1),
    },
  };
}

/** Where the one slash of a part stands; undefined where it has none, or more. */
function onlySlash(text: string, start: number, end: number): number | undefined {
  const at = text.indexOf("/", start);
  if (at < 0 || at >= end) return undefined;
  const next = text.indexOf("/", at + 1);
  return next < 0 || next >= end ? at : undefined;
}
