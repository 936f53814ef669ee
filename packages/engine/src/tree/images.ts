import { isRecord } from "@capstan/formats";
import type { Manifest } from "@capstan/model";

const podSpecPaths: readonly (readonly string[])[] = [
  ["spec"],
  ["spec", "template", "spec"],
  ["spec", "jobTemplate", "spec", "template", "spec"],
];

/** Images of the pods that an object is or makes, each once, in order. */
export function imagesOf(manifest: Manifest): string[] {
  const images = new Set<string>();
  for (const path of podSpecPaths) {
    let at: unknown = manifest;
    for (const name of path) at = isRecord(at) ? at[name] : undefined;
    if (!isRecord(at)) continue;
    for (const list of [at.initContainers, at.containers]) {
      if (!Array.isArray(list)) continue;
      for (const container of list) {
        if (isRecord(container) && typeof container.image === "string") images.add(container.image);
      }
    }
  }
  return [...images];
}
