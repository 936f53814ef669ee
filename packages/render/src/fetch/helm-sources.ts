import { hash, randomUUID } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type ApplicationSource,
  CapstanError,
  type Clock,
  isCapstanError,
  type Repository,
} from "@capstan/model";
import type { ResolvedRevision, RevisionMetadata, RevisionRequest } from "@capstan/wire";
import { BoundedMap } from "../cache/bounded-map.ts";
import { SharedCalls } from "../run/shared-calls.ts";
import { ArchiveTree } from "./archive-tree.ts";
import { credentialsDigest } from "./git-access.ts";
import { type ChartVersion, type HelmIndex, readHelmIndex } from "./helm-index.ts";
import { httpGet } from "./http-get.ts";
import { displayUrl } from "./repository-url.ts";
import type { SourceAt, Sources } from "./sources.ts";
import { highestAllowed, parseConstraint, parseVersion } from "./version-constraint.ts";

export interface HelmSourcesOptions {
  dataDir: string;
  clock: Clock;
  revisionCacheMs: number;
  requestTimeoutMs: number;
  fetchTimeoutMs: number;
  maxTreeBytes: number;
  maxFiles: number;
}

const maxIndexBytes = 256 * 2 ** 20;
const maxArchiveBytes = 128 * 2 ** 20;
const maxTreesBytes = 64 * 2 ** 20;

/** Charts of Helm repositories over HTTP. */
export class HelmSources implements Sources {
  readonly #options: HelmSourcesOptions;
  readonly #indexes = new BoundedMap<{ index: HelmIndex; until: number }>(200);
  readonly #asking = new SharedCalls<HelmIndex>();
  readonly #fetching = new SharedCalls<ArchiveTree>();
  readonly #trees = new BoundedMap<ArchiveTree>(maxTreesBytes);

  constructor(options: HelmSourcesOptions) {
    this.#options = options;
  }

  /** A version is a pin; a constraint takes the highest that it allows (util/versions MaxVersion). */
  async resolve(request: RevisionRequest, signal: AbortSignal): Promise<ResolvedRevision> {
    const { repository, source, noRevisionCache = false } = request;
    const wanted = (request.revision ?? source.targetRevision ?? "").trim();
    const versions = await this.#versions({ repository, source, fresh: noRevisionCache }, signal);
    const available = versions.map(({ version }) => version);
    const constraint = parseVersion(wanted) ? undefined : parseConstraint(wanted);
    const found = constraint
      ? highestAllowed(available, constraint)
      : available.find((version) => sameVersion(version, wanted));
    if (found !== undefined)
      return { revision: found, ambiguous: found === wanted ? found : `${wanted} (${found})` };
    const shown = displayUrl(repository.url);
    throw new CapstanError({
      code: "VERSION_MISSING",
      repository: shown,
      constraint: wanted,
      chart: source.chart ?? "",
      available,
    });
  }

  async tree(from: SourceAt, signal: AbortSignal): Promise<ArchiveTree> {
    const chart = await this.#chart(from, signal);
    const key = hash(
      "sha256",
      JSON.stringify([from.repository.url, from.source.chart, chart.version, chart.digest, chart.created]),
      "hex",
    );
    const known = this.#trees.get(key);
    if (known) return known;
    return this.#fetching.join(key, (inner) => this.#fetchTree({ ...from, chart, key }, inner), signal);
  }

  async metadata(from: SourceAt, signal: AbortSignal): Promise<RevisionMetadata> {
    const { created, description } = await this.#chart(from, signal);
    return { author: "", date: created, message: description, tags: [] };
  }

  async test(repository: Repository, signal: AbortSignal): Promise<void> {
    await this.#index(repository, true, signal);
  }

  forget(url: string): void {
    this.#indexes.deleteWhere((key) => key.startsWith(`${url} `));
  }

  async #chart({ repository, source, revision }: SourceAt, signal: AbortSignal): Promise<ChartVersion> {
    const versions = await this.#versions({ repository, source, fresh: false }, signal);
    const found = versions.find(({ version }) => version === revision);
    if (found) return found;
    throw new CapstanError({
      code: "VERSION_MISSING",
      repository: displayUrl(repository.url),
      constraint: revision,
      chart: source.chart ?? "",
    });
  }

  async #versions(
    of: { repository: Repository; source: ApplicationSource; fresh: boolean },
    signal: AbortSignal,
  ) {
    const { repository, fresh } = of;
    const { chart = "" } = of.source;
    const versions = (await this.#index(repository, fresh, signal)).get(chart);
    if (versions) return versions;
    throw new CapstanError({ code: "CHART_MISSING", repository: displayUrl(repository.url), chart });
  }

  async #index(repository: Repository, fresh: boolean, signal: AbortSignal): Promise<HelmIndex> {
    if (repository.type === "oci" || !/^https?:\/\//i.test(repository.url))
      throw new CapstanError({
        code: "UNIMPLEMENTED",
        what: `reading charts from ${displayUrl(repository.url)} (only Helm repositories over HTTP)`,
      });
    const key = `${repository.url} ${credentialsDigest(repository)}`;
    const known = this.#indexes.get(key);
    if (!fresh && known && known.until > this.#options.clock.now()) return known.index;
    return this.#asking.join(key, (inner) => this.#fetchIndex(repository, key, inner), signal);
  }

  async #fetchIndex(repository: Repository, key: string, signal: AbortSignal): Promise<HelmIndex> {
    const { clock, revisionCacheMs, requestTimeoutMs: timeoutMs } = this.#options;
    const url = `${repository.url.replace(/\/+$/, "")}/index.yaml`;
    const text = await httpGet(url, { repository, clock, signal, timeoutMs, maxBytes: maxIndexBytes });
    const index = readHelmIndex(text.toString(), displayUrl(url));
    this.#indexes.set(key, { index, until: clock.now() + revisionCacheMs });
    return index;
  }

  async #fetchTree(
    { repository, source, chart, key }: SourceAt & { chart: ChartVersion; key: string },
    signal: AbortSignal,
  ) {
    const { dataDir, maxTreeBytes: maxBytes, maxFiles } = this.#options;
    const folder = join(dataDir, "charts");
    const file = join(folder, `${key}.tgz`);
    const stored = await readFile(file).catch(() => undefined);
    const archive = stored ?? (await this.#download(repository, source, { chart, signal }));
    const tree = await ArchiveTree.read(archive, chart.version, { maxBytes, maxFiles }).catch(
      (error: unknown) => {
        if (isCapstanError(error)) throw error;
        const problem = "its archive cannot be unpacked";
        throw new CapstanError(
          { code: "FAILED_PRECONDITION", what: `chart ${source.chart} ${chart.version}`, problem },
          error,
        );
      },
    );
    if (!stored) {
      await mkdir(folder, { recursive: true });
      const fresh = `${file}.${randomUUID()}.new`;
      await writeFile(fresh, archive);
      await rename(fresh, file);
    }
    this.#trees.set(key, tree, tree.bytes);
    return tree;
  }

  async #download(
    repository: Repository,
    source: ApplicationSource,
    of: { chart: ChartVersion; signal: AbortSignal },
  ): Promise<Buffer> {
    const { clock, fetchTimeoutMs: timeoutMs } = this.#options;
    const { chart, signal } = of;
    const what = `chart ${source.chart} ${chart.version}`;
    const [address] = chart.urls;
    if (address === undefined)
      throw new CapstanError({
        code: "FAILED_PRECONDITION",
        what,
        problem: "the repository's index gives no address for it",
      });
    const url = new URL(address, `${repository.url.replace(/\/+$/, "")}/`).href;
    const passCredentials = source.helm?.passCredentials ?? false;
    const archive = await httpGet(url, {
      repository,
      passCredentials,
      clock,
      signal,
      timeoutMs,
      maxBytes: maxArchiveBytes,
    });
    if (chart.digest !== undefined && hash("sha256", archive, "hex") !== chart.digest)
      throw new CapstanError({
        code: "FAILED_PRECONDITION",
        what,
        problem: "what was downloaded does not match the digest in the repository's index",
      });
    return archive;
  }
}

/** "v1.0.0" and "1.0.0" are one version, "+" in it may be written "_". */
function sameVersion(left: string, right: string): boolean {
  const plain = (version: string) => version.replace(/^v/, "").replaceAll("_", "+");
  return plain(left) === plain(right);
}
