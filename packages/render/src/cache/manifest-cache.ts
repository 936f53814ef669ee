import type { RenderedManifest } from "@capstan/wire";
import { BoundedMap } from "./bounded-map.ts";
import type { DiskCache } from "./disk-cache.ts";

/** What a render gave, without anything of who asked for it. */
export interface Rendering {
  readonly manifests: readonly RenderedManifest[];
  readonly commands: readonly string[];
}

/** Renderings by digest of their inputs: in memory, and on disk where doing them again would cost more. */
export class ManifestCache {
  readonly #memory: BoundedMap<Rendering>;
  readonly #disk: DiskCache;

  constructor(maxBytes: number, disk: DiskCache) {
    this.#memory = new BoundedMap(maxBytes);
    this.#disk = disk;
  }

  /** What is in memory. */
  recent(key: string): Rendering | undefined {
    return this.#memory.get(key);
  }

  async get(key: string): Promise<Rendering | undefined> {
    const known = this.recent(key);
    if (known) return known;
    const stored = await this.#disk.read(key);
    if (stored) this.#memory.set(key, stored.rendering, stored.bytes);
    return stored?.rendering;
  }

  /** `keepOnDisk` must be false for what may hold secrets of a sensitive stage. */
  async set(
    key: string,
    rendering: Rendering,
    { bytes, keepOnDisk }: { bytes: number; keepOnDisk: boolean },
  ) {
    this.#memory.set(key, rendering, bytes);
    if (keepOnDisk) await this.#disk.write(key, rendering);
  }
}
