import { hash, randomUUID } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  BoundedMap,
  CapstanError,
  type Clock,
  isCapstanError,
  type Repository,
  withoutEndSlashes,
  withoutUserinfo,
} from "@capstan/model";
import type { ResolvedRevision, RevisionMetadata, RevisionRequest } from "@capstan/wire";
import { SharedCalls } from "../run/shared-calls.ts";
import { ArchiveTree } from "./archive-tree.ts";
import { credentialsDigest } from "./git-access.ts";
import { type ChartVersion, type HelmIndex, readHelmIndex } from "./helm-index.ts";
import { httpGet } from "./http-get.ts";
import { isOciRepository, ociArchive, ociVersions } from "./oci-charts.ts";
import { OciRepository } from "./oci-registry.ts";
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

interface WantedChart {
  repository: Repository;
  chart: string;
  /** A version or a constraint. */
  version: string;
  passCredentials: boolean;
}

/** Charts of Helm repositories over HTTP and of OCI registries. */
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
    const { chart = "" } = source;
    const versions = await this.#versions({ repository, chart, fresh: noRevisionCache }, signal);
    const found = pick(versions, { repository, chart, version: wanted }).version;
    return { revision: found, ambiguous: found === wanted ? found : `${wanted} (${found})` };
  }

  /** A packed chart, as it was downloaded or is kept. */
  async archive(wanted: WantedChart, signal: AbortSignal): Promise<{ version: string; data: Buffer }> {
    const versions = await this.#versions({ ...wanted, fresh: false }, signal);
    const chart = pick(versions, wanted);
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
    return { author: "", date: created, message: description, tags: [] };
  }

  async test(repository: Repository, signal: AbortSignal): Promise<void> {
    if (isOciRepository(repository)) await new OciRepository("", this.#oci(repository, signal)).ping();
    else await this.#index(repository, true, signal);
  }

  forget(url: string): void {
    this.#indexes.deleteWhere((key) => key.startsWith(`${url} `));
  }

  async #chart({ repository, source, revision }: SourceAt, signal: AbortSignal): Promise<ChartVersion> {
    const { chart = "" } = source;
    const versions = await this.#versions({ repository, chart, fresh: false }, signal);
    return pick(versions, { repository, chart, version: revision });
  }

  async #versions(
    { repository, chart, fresh }: { repository: Repository; chart: string; fresh: boolean },
    signal: AbortSignal,
  ): Promise<readonly ChartVersion[]> {
    const isOci = isOciRepository(repository);
    const index = isOci
      ? await this.#tags(repository, { chart, fresh }, signal)
      : await this.#index(repository, fresh, signal);
    const versions = index.get(chart);
    if (versions) return versions;
    throw new CapstanError({ code: "CHART_MISSING", repository: withoutUserinfo(repository.url), chart });
  }

  /** Of an OCI registry: what an index would say of one chart. */
  #tags(
    repository: Repository,
    { chart, fresh }: { chart: string; fresh: boolean },
    signal: AbortSignal,
  ): Promise<HelmIndex> {
    const key = `${repository.url} ${chart} ${credentialsDigest(repository)}`;
    const known = this.#indexes.get(key);
    const { clock, revisionCacheMs } = this.#options;
    if (!fresh && known && known.until > clock.now()) return Promise.resolve(known.index);
    const ask = async (inner: AbortSignal) => {
      const index = new Map([[chart, await ociVersions(chart, this.#oci(repository, inner))]]);
      this.#indexes.set(key, { index, until: clock.now() + revisionCacheMs });
      return index;
    };
    return this.#asking.join(key, ask, signal);
  }

  #oci(repository: Repository, signal: AbortSignal) {
    const { clock, requestTimeoutMs: timeoutMs } = this.#options;
    return { repository, clock, signal, timeoutMs };
  }

  async #index(repository: Repository, fresh: boolean, signal: AbortSignal): Promise<HelmIndex> {
    if (!/^https?:\/\//i.test(repository.url)) {
      const problem = `${withoutUserinfo(repository.url)} is neither http://, https:// nor oci://`;
      throw new CapstanError({ code: "INVALID_ARGUMENT", field: "source.repoURL", problem });
    }
    const key = `${repository.url} ${credentialsDigest(repository)}`;
    const known = this.#indexes.get(key);
    if (!fresh && known && known.until > this.#options.clock.now()) return known.index;
    return this.#asking.join(key, (inner) => this.#fetchIndex(repository, key, inner), signal);
  }

  async #fetchIndex(repository: Repository, key: string, signal: AbortSignal): Promise<HelmIndex> {
    const { clock, revisionCacheMs, requestTimeoutMs: timeoutMs } = this.#options;
    const url = `${withoutEndSlashes(repository.url)}/index.yaml`;
    const text = await httpGet(url, { repository, clock, signal, timeoutMs, maxBytes: maxIndexBytes });
    const index = readHelmIndex(text.toString(), withoutUserinfo(url));
    this.#indexes.set(key, { index, until: clock.now() + revisionCacheMs });
    return index;
  }

  async #fetchTree(
    { repository, source, chart, key }: SourceAt & { chart: ChartVersion; key: string },
    signal: AbortSignal,
  ) {
    const { maxTreeBytes: maxBytes, maxFiles } = this.#options;
    const passCredentials = source.helm?.passCredentials ?? false;
    const wanted = { repository, chart: source.chart ?? "", version: chart.version, passCredentials };
    const archive = await this.#archive({ ...wanted, found: chart, key }, signal);
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
    const { clock, fetchTimeoutMs: timeoutMs } = this.#options;
    if (isOciRepository(repository)) {
      const oci = { ...this.#oci(repository, signal), timeoutMs };
      return ociArchive({ chart: name, version: chart.version, maxBytes: maxArchiveBytes }, oci);
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

function keyOf(url: string, chart: string, { version, digest, created }: ChartVersion): string {
  return hash("sha256", JSON.stringify([url, chart, version, digest, created]), "hex");
}

/** A version is a pin; a constraint takes the highest that it allows (util/versions MaxVersion). */
function pick(
  versions: readonly ChartVersion[],
  { repository, chart, version: wanted }: Omit<WantedChart, "passCredentials">,
): ChartVersion {
  const available = versions.map(({ version }) => version);
  const constraint = parseVersion(wanted) ? undefined : parseConstraint(wanted);
  const best = constraint
    ? highestAllowed(available, constraint)
    : available.find((version) => sameVersion(version, wanted));
  const found = versions.find(({ version }) => version === best);
  if (found) return found;
  const facts = { repository: withoutUserinfo(repository.url), constraint: wanted, chart, available };
  throw new CapstanError({ code: "VERSION_MISSING", ...facts });
}

/** "v1.0.0" and "1.0.0" are one version, "+" in it may be written "_". */
function sameVersion(left: string, right: string): boolean {
  const plain = (version: string) => version.replace(/^v/, "").replaceAll("_", "+");
  return plain(left) === plain(right);
}
