import type { Manifest } from "@capstan/model";

interface Entry {
  readonly manifest: Manifest;
}

/** Pods by the node on which they are placed. */
export class PlacedPods<One extends Entry> {
  readonly #nodes = new Map<string, Set<One>>();

  add(entry: One): void {
    const node = nodeOf(entry.manifest);
    if (node === undefined) return;
    const placed = this.#nodes.get(node) ?? new Set<One>();
    this.#nodes.set(node, placed.add(entry));
  }

  remove(entry: One): void {
    const node = nodeOf(entry.manifest);
    const placed = node === undefined ? undefined : this.#nodes.get(node);
    if (node !== undefined && placed?.delete(entry) && placed.size === 0) this.#nodes.delete(node);
  }

  on(node: string): ReadonlySet<One> | undefined {
    return this.#nodes.get(node);
  }
}

/** undefined: it is no Pod, or none that is placed. */
export function nodeOf({ apiVersion, kind, spec }: Manifest): string | undefined {
  if (apiVersion !== "v1" || kind !== "Pod") return undefined;
  const placed = typeof spec === "object" && spec !== null && "nodeName" in spec ? spec.nodeName : undefined;
  return typeof placed === "string" && placed !== "" ? placed : undefined;
}
