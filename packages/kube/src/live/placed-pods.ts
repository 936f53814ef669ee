import { ValuesByKey } from "@capstan/flow";
import type { Manifest } from "@capstan/model";

interface Entry {
  readonly manifest: Manifest;
}

/** Pods by the node on which they are placed. */
export class PlacedPods<One extends Entry> {
  readonly #nodes = new ValuesByKey<One>();

  add(entry: One): void {
    const node = nodeOf(entry.manifest);
    if (node !== undefined) this.#nodes.add(node, entry);
  }

  remove(entry: One): void {
    const node = nodeOf(entry.manifest);
    if (node !== undefined) this.#nodes.remove(node, entry);
  }

  on(node: string): Iterable<One> {
    return this.#nodes.of(node);
  }
}

/** undefined: it is no Pod, or none that is placed. */
export function nodeOf({ apiVersion, kind, spec }: Manifest): string | undefined {
  if (apiVersion !== "v1" || kind !== "Pod") return undefined;
  const placed = typeof spec === "object" && spec !== null && "nodeName" in spec ? spec.nodeName : undefined;
  return typeof placed === "string" && placed !== "" ? placed : undefined;
}
