import { BoundedMap, type Clock, SharedCalls } from "@capstan/flow";
import type { Repository } from "@capstan/model";
import { askedSince, type Freshness } from "./freshness.ts";
import { credentialsDigest } from "./git-access.ts";
import { type OciOptions, openOci } from "./oci-access.ts";
import { ociTag } from "./oci-charts.ts";

interface Asked {
  readonly digest: string;
  readonly askedAt: number;
}

/** What tags of charts in registries mean at the time: asked once in an interval, for all who want to know. */
export class ChartDigests {
  readonly #clock: Clock;
  readonly #keepMs: number;
  readonly #known = new BoundedMap<Asked>(10_000);
  readonly #asking = new SharedCalls<Asked>();

  constructor({ clock, keepMs }: { clock: Clock; keepMs: number }) {
    this.#clock = clock;
    this.#keepMs = keepMs;
  }

  /** Of the manifest, as `sha256:…`. */
  async of(
    { chart, version, freshness }: { chart: string; version: string; freshness: Freshness },
    options: OciOptions,
  ): Promise<string> {
    const { repository, signal } = options;
    const key = [repository.url, chart, version, credentialsDigest(repository)].join(" ");
    const askedAt = this.#clock.now();
    const known = freshness.noRevisionCache ? undefined : this.#known.get(key);
    if (known && known.askedAt >= askedSince(freshness, { now: askedAt, keepMs: this.#keepMs }))
      return known.digest;
    const ask = async (inner: AbortSignal) => {
      const opened = openOci(chart, { ...options, signal: inner });
      const asked = { digest: (await opened.manifest(ociTag(version))).digest, askedAt };
      this.#known.set(key, asked);
      return asked;
    };
    return (await this.#asking.join(key, ask, signal)).digest;
  }

  forget(url: Repository["url"]): void {
    this.#known.deleteWhere((key) => key.startsWith(`${url} `));
  }
}
