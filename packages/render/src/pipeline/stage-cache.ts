import { BoundedMap, type Clock } from "@capstan/flow";
import type { GeneratedManifest } from "@capstan/plugin-kit";
import { keptUntil, type ManifestCache } from "../cache/manifest-cache.ts";
import { TimedMap } from "../cache/timed-map.ts";
import { digestManifests } from "../run/digest-manifests.ts";
import type { FileChange } from "../transfer/overlay-tree.ts";

/** What one run of a stage gave: of its own, without what stages before it made. */
export interface StageOutput {
  readonly changes: readonly FileChange[];
  readonly manifests: readonly GeneratedManifest[];
  readonly commands: readonly string[];
  /** Milliseconds since 1970 after which the stage is run again. */
  readonly until?: number;
  /** Texts of Secrets that the plugin made and had not said that it would. */
  readonly unsaid?: readonly string[];
}

const worthDiskMs = 20;

/**
 * Outputs of stages by digest of what they depend on. Manifests are kept with the others; changed files only in
 * memory; what a sensitive stage made only in memory and for a limited time.
 */
export class StageCache {
  readonly #clock: Clock;
  readonly #manifests: ManifestCache;
  readonly #memory: TimedMap<StageOutput>;
  readonly #tookMs = new BoundedMap<number>(50_000);

  constructor(options: { clock: Clock; manifests: ManifestCache; maxBytes: number }) {
    this.#clock = options.clock;
    this.#manifests = options.manifests;
    this.#memory = new TimedMap(options.maxBytes, options.clock);
  }

  async get(key: string): Promise<StageOutput | undefined> {
    const kept = this.#memory.get(key);
    if (kept) return kept;
    const rendering = await this.#manifests.get(stored(key));
    return rendering && { ...rendering, changes: [] };
  }

  /** What the run took that is told again. */
  tookMs(key: string): number | undefined {
    return this.#tookMs.get(key);
  }

  /** Gives the output with the time until which it is kept. */
  async set(
    key: string,
    made: StageOutput,
    { sensitive, ms }: { sensitive: boolean; ms: number },
  ): Promise<StageOutput> {
    const { until } = made;
    const output = { ...made, ...keptUntil(this.#clock, { sensitive, until }) };
    this.#tookMs.set(key, ms);
    const { rendered, bytes } = digestManifests(output.manifests);
    if (!sensitive && output.changes.length === 0) {
      const rendering = { manifests: rendered, commands: output.commands };
      const kept = { ...rendering, ...(output.until === undefined ? {} : { until: output.until }) };
      await this.#manifests.set(stored(key), kept, { bytes, keepOnDisk: ms >= worthDiskMs });
      return output;
    }
    const weight = output.changes.reduce((sum, { data }) => sum + (data?.length ?? 0), bytes);
    this.#memory.set(key, output, { weight, until: output.until });
    return output;
  }
}

function stored(key: string): string {
  return `stage-${key}`;
}
