import { hash, randomUUID } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { BoundedMap, type Clock, SharedCalls } from "@capstan/flow";
import { highestAllowed, parseConstraint, parseVersion, withoutEndSlashes } from "@capstan/formats";
import { CapstanError, isCapstanError, type Repository, withoutUserinfo } from "@capstan/model";
import type { ResolvedRevision, RevisionMetadata, RevisionRequest } from "@capstan/wire";
import type { RenderMetrics } from "../metrics.ts";
import { ArchiveTree } from "./archive-tree.ts";
import { readChartDetails } from "./chart-details.ts";
import { ChartDigests } from "./chart-digests.ts";
import { askedSince, type Freshness, freshnessForMissing } from "./freshness.ts";
import { credentialsDigest } from "./git-access.ts";
import { type ChartVersion, type HelmIndex, readHelmIndex, sameVersion } from "./helm-index.ts";
import { httpGet } from "./http-get.ts";
import { isOciRepository, ociArchive, ociVersions, testRegistry } from "./oci-charts.ts";
import type { SourceAt, Sources } from "./sources.ts";
import type { UnreachableHosts } from "./unreachable-hosts.ts";

export interface HelmSourcesOptions {
  dataDir: string;
  clock: Clock;
  revisionCacheMs: number;
  requestTimeoutMs: number;
  fetchTimeoutMs: number;
  maxTreeBytes: number;
  maxFiles: number;
  hosts: UnreachableHosts;
  metrics?: Pick<RenderMetrics, "oci">;
}

const maxIndexBytes = 64 * 2 ** 20;
/** Of all indexes that are kept. */
const maxIndexCharacters = 2 ** 27;
const maxArchiveBytes = 128 * 2 ** 20;
const maxTreesBytes = 64 * 2 ** 20;

interface WantedChart {
  repository: Repository;
  chart: string;
  /** A version or a constraint. */
  version: string;
  passCredentials: boolean;
}

type Choice = Omit<WantedChart, "passCredentials">;

interface Indexed {
  readonly index: HelmIndex;
  readonly askedAt: number;
}

/** Charts of Helm repositories over HTTP and of OCI registries. */
export class HelmSources implements Sources {
  readonly #options: HelmSourcesOptions;
  readonly #indexes = new BoundedMap<Indexed>(maxIndexCharacters);
  readonly #asking = new SharedCalls<Indexed>();
  readonly #fetching = new SharedCalls<ArchiveTree>();
  readonly #trees = new BoundedMap<ArchiveTree>(maxTreesBytes);
  readonly #digests: ChartDigests;

  constructor(options: HelmSourcesOptions) {
    this.#options = options;
    this.#digests = new ChartDigests({ clock: options.clock, keepMs: options.revisionCacheMs });
  }

  /** A version is a pin; a constraint takes the highest that it allows (util/versions MaxVersion). */
  async resolve(request: RevisionRequest, signal: AbortSignal): Promise<ResolvedRevision> {
    const { repository, source } = request;
    const wanted = (request.revision ?? source.targetRevision ?? "").trim();
    const { chart = "" } = source;
    const choice = { repository, chart, version: wanted };
    const { found, askedAt } = await this.#find(choice, request, signal);
    const picked = found ?? missing(choice, (await this.#indexed(choice, {}, signal)).index);
    const pinned = await this.#pinned(choice, { found: picked, freshness: request }, signal);
    const { version, digest, manifest } = pinned;
    const ambiguous = version === wanted ? version : `${wanted} (${version})`;
    const meaning = manifest ?? (digest === undefined ? undefined : `sha256:${digest}`);
    return { revision: version, ambiguous, askedAt, ...(meaning === undefined ? {} : { meaning }) };
  }

  /** A packed chart, as it was downloaded or is kept. */
  async archive(wanted: WantedChart, signal: AbortSignal): Promise<{ version: string; data: Buffer }> {
    const { index } = await this.#indexed(wanted, {}, signal);
    const found = pick(index, wanted) ?? missing(wanted, index);
    const chart = await this.#pinned(wanted, { found, freshness: {} }, signal);
    const of = { ...wanted, found: chart, key: keyOf(wanted.repository.url, wanted.chart, chart) };
    return { version: chart.version, data: await this.#archive(of, signal) };
  }

  async tree(from: SourceAt, signal: AbortSignal): Promise<ArchiveTree> {
    const chart = await this.#chart(from, signal);
    const key = keyOf(from.repository.url, from.source.chart ?? "", chart);
    const known = this.#trees.get(key);
    if (known) return known;
    return this.#fetching.join(key, (inner) => this.#fetchTree({ ...from, chart, key }, inner), signal);
  }

  async metadata(from: SourceAt, signal: AbortSignal): Promise<RevisionMetadata> {
    const { created, description } = await this.#chart(from, signal);
    const plain = { author: "", date: created, message: description, tags: [] };
    if (!from.withDetails) return plain;
    return { ...plain, chart: await readChartDetails(await this.tree(from, signal)) };
  }

  /** Charts of a repository's index with their versions, newest first as it has them; a registry has no such list. */
  async list(repository: Repository, signal: AbortSignal): Promise<{ name: string; versions: string[] }[]> {
    if (isOciRepository(repository)) return [];
    const { index } = await this.#indexed({ repository, chart: "" }, {}, signal);
    return index.names().map((name) => ({
      name,
      versions: (index.get(name) ?? []).map(({ version }) => version),
    }));
  }

  async test(repository: Repository, signal: AbortSignal): Promise<void> {
    if (isOciRepository(repository))
      await testRegistry({ ...this.#oci(repository, signal), metrics: this.#options.metrics });
    else await this.#indexed({ repository, chart: "" }, { noRevisionCache: true }, signal);
  }

  forget(url: string): void {
    this.#indexes.deleteWhere((key) => key.startsWith(`${url} `));
    this.#digests.forget(url);
  }

  async #chart({ repository, source, revision }: SourceAt, signal: AbortSignal): Promise<ChartVersion> {
    const wanted = { repository, chart: source.chart ?? "", version: revision };
    const { index } = await this.#indexed(wanted, {}, signal);
    const found = pick(index, wanted) ?? missing(wanted, index);
    return this.#pinned(wanted, { found, freshness: {} }, signal);
  }

  /** An index says what a version is; of a registry's tag, which may come to mean another chart, it is asked. */
  async #pinned(
    { repository, chart }: Pick<Choice, "repository" | "chart">,
    { found, freshness }: { found: ChartVersion; freshness: Freshness },
    signal: AbortSignal,
  ): Promise<ChartVersion> {
    if (!isOciRepository(repository)) return found;
    const asked = { chart, version: found.version, freshness };
    return { ...found, manifest: await this.#digests.of(asked, this.#oci(repository, signal)) };
  }

  /** What a kept index does not know may have been published since: then the repository is asked again. */
  async #find(choice: Choice, freshness: Freshness, signal: AbortSignal) {
    const { index, askedAt } = await this.#indexed(choice, freshness, signal);
    const found = pick(index, choice);
    const again = found ? undefined : freshnessForMissing(askedAt, this.#options.clock.now());
    if (!again) return { found, askedAt };
    const newer = await this.#indexed(choice, again, signal);
    return { found: pick(newer.index, choice), askedAt: newer.askedAt };
  }

  /** Of an OCI registry the tags of one chart, as an index would have them. */
  #indexed(
    { repository, chart }: Pick<Choice, "repository" | "chart">,
    freshness: Freshness,
    signal: AbortSignal,
  ): Promise<Indexed> {
    const isOci = isOciRepository(repository);
    const key = [repository.url, ...(isOci ? [chart] : []), credentialsDigest(repository)].join(" ");
    const known = freshness.noRevisionCache ? undefined : this.#indexes.get(key);
    const { clock, revisionCacheMs: keepMs } = this.#options;
    const askedAt = clock.now();
    if (known && known.askedAt >= askedSince(freshness, { now: askedAt, keepMs }))
      return Promise.resolve(known);
    const ask = async (inner: AbortSignal): Promise<Indexed> => {
      const index = isOci
        ? indexOf(await ociVersions(chart, this.#oci(repository, inner)))
        : await this.#fetchIndex(repository, inner);
      const indexed = { index, askedAt };
      this.#indexes.set(key, indexed, index.characters + 1_000);
      return indexed;
    };
    return this.#asking.join(key, ask, signal);
  }

  #oci(repository: Repository, signal: AbortSignal) {
    const { clock, hosts, requestTimeoutMs: timeoutMs } = this.#options;
    return { repository, clock, hosts, signal, timeoutMs };
  }

  async #fetchIndex(repository: Repository, signal: AbortSignal): Promise<HelmIndex> {
    if (!/^https?:\/\//i.test(repository.url)) {
      const problem = `${withoutUserinfo(repository.url)} is neither http://, https:// nor oci://`;
      throw new CapstanError({ code: "INVALID_ARGUMENT", field: "source.repoURL", problem });
    }
    const { clock, hosts, requestTimeoutMs: timeoutMs } = this.#options;
    const url = `${withoutEndSlashes(repository.url)}/index.yaml`;
    const text = await httpGet(url, { repository, clock, hosts, signal, timeoutMs, maxBytes: maxIndexBytes });
    return readHelmIndex(text.toString(), withoutUserinfo(url));
  }

  async #fetchTree(
    { repository, source, chart, key }: SourceAt & { chart: ChartVersion; key: string },
    signal: AbortSignal,
  ) {
    const { maxTreeBytes: maxBytes, maxFiles } = this.#options;
    const passCredentials = source.helm?.passCredentials ?? false;
    const wanted = { repository, chart: source.chart ?? "", version: chart.version, passCredentials };
    const archive = await this.#archive({ ...wanted, found: chart, key }, signal);
    const what = `chart ${source.chart} ${chart.version}`;
    const tree = await ArchiveTree.read(archive, chart.version, { maxBytes, maxFiles, what }).catch(
      (error: unknown) => {
        if (isCapstanError(error)) throw error;
        const problem = "its archive cannot be unpacked";
        throw new CapstanError({ code: "FAILED_PRECONDITION", what, problem }, error);
      },
    );
    this.#trees.set(key, tree, tree.bytes);
    return tree;
  }

  /** Kept on disk by what the index says of it. */
  async #archive(
    of: WantedChart & { found: ChartVersion; key: string },
    signal: AbortSignal,
  ): Promise<Buffer> {
    const folder = join(this.#options.dataDir, "charts");
    const file = join(folder, `${of.key}.tgz`);
    const stored = await readFile(file).catch(() => undefined);
    if (stored) return stored;
    const archive = await this.#download(of, signal);
    await mkdir(folder, { recursive: true });
    const fresh = `${file}.${randomUUID()}.new`;
    await writeFile(fresh, archive);
    await rename(fresh, file);
    return archive;
  }

  async #download(
    { repository, chart: name, found: chart, passCredentials }: WantedChart & { found: ChartVersion },
    signal: AbortSignal,
  ): Promise<Buffer> {
    const { clock, hosts, fetchTimeoutMs: timeoutMs } = this.#options;
    if (isOciRepository(repository)) {
      const oci = { ...this.#oci(repository, signal), timeoutMs };
      return ociArchive(
        { chart: name, version: chart.version, manifest: chart.manifest, maxBytes: maxArchiveBytes },
        oci,
      );
    }
    const what = `chart ${name} ${chart.version}`;
    const [address] = chart.urls;
    if (address === undefined)
      throw new CapstanError({
        code: "FAILED_PRECONDITION",
        what,
        problem: "the repository's index gives no address for it",
      });
    const url = new URL(address, `${withoutEndSlashes(repository.url)}/`).href;
    const archive = await httpGet(url, {
      repository,
      passCredentials,
      clock,
      hosts,
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

function keyOf(url: string, chart: string, { version, digest, created, manifest }: ChartVersion): string {
  return hash("sha256", JSON.stringify([url, chart, version, digest ?? manifest, created]), "hex");
}

/** A version is a pin; a constraint takes the highest that it allows (util/versions MaxVersion). */
function pick(index: HelmIndex, { chart, version: wanted }: Choice): ChartVersion | undefined {
  const versions = index.get(chart) ?? [];
  const available = versions.map(({ version }) => version);
  const constraint = parseVersion(wanted) ? undefined : parseConstraint(wanted);
  const best = constraint
    ? highestAllowed(available, constraint)
    : available.find((version) => sameVersion(version, wanted));
  return versions.find(({ version }) => version === best);
}

function missing({ repository, chart, version: constraint }: Choice, index: HelmIndex): never {
  const facts = { repository: withoutUserinfo(repository.url), chart };
  const versions = index.get(chart);
  if (!versions) throw new CapstanError({ code: "CHART_MISSING", ...facts });
  const available = versions.map(({ version }) => version);
  throw new CapstanError({ code: "VERSION_MISSING", ...facts, constraint, available });
}

/** Of a registry: what an index would say of the one chart that was asked for. */
function indexOf(versions: readonly ChartVersion[]): HelmIndex {
  return { characters: 200 * versions.length, names: () => [], get: () => versions };
}
