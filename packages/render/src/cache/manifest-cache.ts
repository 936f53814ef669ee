import type { Clock } from "@capstan/flow";
import type { RenderedManifest } from "@capstan/wire";
import type { DiskCache } from "./disk-cache.ts";
import type { LaterWork } from "./later-work.ts";
import { TimedMap } from "./timed-map.ts";

/** What a render gave, without anything of who asked for it. */
export interface Rendering {
  readonly manifests: readonly RenderedManifest[];
  readonly commands: readonly string[];
  /** Milliseconds since 1970 after which it is made anew: it holds secrets. */
  readonly until?: number;
}

const sensitiveForMs = 10 * 60_000;
/** However short a lease is: making it anew all the time would help nobody. */
const leastMs = 10_000;

/** How long what a plugin made is kept: secrets for a time only, and never longer than they last. */
export function keptUntil(
  clock: Clock,
  { sensitive, until }: { sensitive: boolean; until?: number | undefined },
) {
  const ends = [until, sensitive ? clock.now() + sensitiveForMs : undefined].filter(
    (end) => end !== undefined,
  );
  return ends.length === 0 ? {} : { until: Math.max(Math.min(...ends), clock.now() + leastMs) };
}

/** Renderings by digest of their inputs: in memory, and on disk where doing them again would cost more. */
export class ManifestCache {
  readonly #memory: TimedMap<Rendering>;
  readonly #disk: DiskCache;
  readonly #later: LaterWork;

  constructor(maxBytes: number, { disk, clock, later }: { disk: DiskCache; clock: Clock; later: LaterWork }) {
    this.#memory = new TimedMap(maxBytes, clock);
    this.#disk = disk;
    this.#later = later;
  }

  /** What is in memory. */
  recent(key: string): Rendering | undefined {
    return this.#memory.get(key);
  }

  async get(key: string): Promise<Rendering | undefined> {
    const known = this.recent(key);
    if (known) return known;
    const stored = await this.#disk.read(key);
    if (stored) this.#memory.set(key, stored.rendering, { weight: stored.bytes });
    return stored?.rendering;
  }

  /** Waits for no disk. `keepOnDisk` must be false for what may hold secrets of a sensitive stage. */
  async set(
    key: string,
    rendering: Rendering,
    { bytes, keepOnDisk }: { bytes: number; keepOnDisk: boolean },
  ) {
    const { until } = rendering;
    this.#memory.set(key, rendering, { weight: bytes, until });
    if (!keepOnDisk || until !== undefined) return;
    await this.#later.add(`keeping ${key} on disk`, () => this.#disk.write(key, rendering));
  }
}
