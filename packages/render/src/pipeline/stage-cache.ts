import type { Clock } from "@capstan/model";
import type { GeneratedManifest } from "@capstan/plugin-kit";
import { BoundedMap } from "../cache/bounded-map.ts";
import type { ManifestCache } from "../cache/manifest-cache.ts";
import { digestManifests } from "../run/run-plugin.ts";
import type { FileChange } from "./overlay-tree.ts";

/** What one run of a stage gave: of its own, without what stages before it made. */
export interface StageOutput {
  readonly changes: readonly FileChange[];
  readonly manifests: readonly GeneratedManifest[];
  readonly commands: readonly string[];
}

const sensitiveForMs = 10 * 60_000;
const worthDiskMs = 20;

/**
 * Outputs of stages by digest of what they depend on. Manifests are kept with the others; changed files only in
 * memory; what a sensitive stage made only in memory and for a limited time.
 */
export class StageCache {
  readonly #clock: Clock;
  readonly #manifests: ManifestCache;
  readonly #memory: BoundedMap<{ output: StageOutput; until: number }>;
  readonly #tookMs = new BoundedMap<number>(50_000);

  constructor(options: { clock: Clock; manifests: ManifestCache; maxBytes: number }) {
    this.#clock = options.clock;
    this.#manifests = options.manifests;
    this.#memory = new BoundedMap(options.maxBytes);
  }

  async get(key: string): Promise<StageOutput | undefined> {
    const kept = this.#memory.get(key);
    if (kept && kept.until > this.#clock.now()) return kept.output;
    if (kept) this.#memory.delete(key);
    const rendering = await this.#manifests.get(stored(key));
    return rendering && { ...rendering, changes: [] };
  }

  /** What the run took that is told again. */
  tookMs(key: string): number | undefined {
    return this.#tookMs.get(key);
  }

  async set(
    key: string,
    output: StageOutput,
    { sensitive, ms }: { sensitive: boolean; ms: number },
  ): Promise<void> {
    this.#tookMs.set(key, ms);
    const { rendered, bytes } = digestManifests(output.manifests);
    if (!sensitive && output.changes.length === 0) {
      const rendering = { manifests: rendered, commands: output.commands };
      return this.#manifests.set(stored(key), rendering, { bytes, keepOnDisk: ms >= worthDiskMs });
    }
    const weight = output.changes.reduce((sum, { data }) => sum + (data?.length ?? 0), bytes);
    const until = sensitive ? this.#clock.now() + sensitiveForMs : Number.POSITIVE_INFINITY;
    this.#memory.set(key, { output, until }, weight);
  }
}

function stored(key: string): string {
  return `stage-${key}`;
}
