import type { AppRef } from "../../paths.ts";
import { useLiveManifest } from "../../queries/details.ts";
import { parseObject } from "../code/object-text.ts";
import type { TreeItem } from "../tree/tree-items.ts";

export interface ContainerNames {
  readonly containers: readonly string[];
  readonly initContainers: readonly string[];
}

/** Of a Pod, or of the Pods that an object makes; nothing until the server has said. */
export function useContainers(appRef: AppRef, item: TreeItem): ContainerNames | undefined {
  const { data } = useLiveManifest(appRef, item.resource, item.version);
  if (data === undefined) return undefined;
  const spec = fieldOf(parseObject(data.manifest), "spec");
  const ofPod = fieldOf(fieldOf(spec, "template"), "spec") ?? spec;
  return {
    containers: namesOf(fieldOf(ofPod, "containers")),
    initContainers: namesOf(fieldOf(ofPod, "initContainers")),
  };
}

function namesOf(containers: unknown): string[] {
  if (!Array.isArray(containers)) return [];
  return containers.map((one) => fieldOf(one, "name")).filter((name) => typeof name === "string");
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
